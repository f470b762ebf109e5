// Forms of values: one table of fields, from which the type of a record, the checks of options, and the shapes of the surfaces
// are made.
// Invariant: pure; the check of a form accepts the values of its type.
import {
  anything,
  type ArgumentCheck,
  count,
  date,
  flag,
  list,
  nullable,
  number,
  oneOf,
  optional,
  options,
  type OptionsForm as OtherOptions,
  ordinal,
  record,
  text,
  whole,
} from "./argument-checks.ts";

/** What a surface makes its own shape of. */
export type FormKind =
  | "text"
  | "id"
  | "day"
  | "flag"
  | "moment"
  | "count"
  | "number"
  | "choice"
  | "texts"
  | "object"
  | "objects"
  | "list"
  | "options"
  | "record"
  | "records"
  | "json"
  | "program";

export interface Form<Value> {
  readonly kind: FormKind;
  readonly isNullable: boolean;
  readonly check: ArgumentCheck;
  /** Never set: its type is that of the values. */
  readonly value?: Value;
}

export interface ChoiceForm<Value extends string> extends Form<Value> {
  readonly values: readonly [Value, ...Value[]];
}

/** A value that is a record itself, or a list of them. */
export interface RecordForm<Of extends Fields = Fields, Value = Plain<RecordOf<Of>>> extends Form<Value> {
  readonly fields: Of;
}

/** A list of values. */
export interface ListForm<Value> extends Form<readonly Value[]> {
  readonly item: Form<Value>;
}

/** Options that are a value themselves. */
export interface OptionsForm<Of extends Fields = Fields, Required extends keyof Of = keyof Of>
  extends Form<Plain<OptionsOf<Of, Required>>> {
  readonly fields: Of;
  readonly required: readonly Required[];
}

/** A value that some records lack. */
export interface MaybeForm<Value> extends Form<Value> {
  readonly isMaybe: true;
}

export type Fields = Readonly<Record<string, Form<unknown>>>;

/** The same object without the name of its type, which would be mentioned by the types of records that have it. */
type Plain<Value> = Value extends infer Own ? { readonly [Name in keyof Own]: Own[Name] } : never;

type ValueOf<Given> = Given extends Form<infer Value> ? Value : never;

/** A record with a value for each field, except those that it may lack. */
export type RecordOf<Of extends Fields> = {
  readonly [Name in keyof Of as Of[Name] extends MaybeForm<unknown> ? never : Name]: ValueOf<Of[Name]>;
} & { readonly [Name in keyof Of as Of[Name] extends MaybeForm<unknown> ? Name : never]?: ValueOf<Of[Name]> };

/** Options with a value for some fields; those of `Required` must be given. */
export type OptionsOf<Of extends Fields, Required extends keyof Of = never> = {
  readonly [Name in Exclude<keyof Of, Required>]?: ValueOf<Of[Name]>;
} & { readonly [Name in Required]: ValueOf<Of[Name]> };

/** The forms of values. */
export const form = {
  text: { kind: "text", isNullable: false, check: text } as Form<string>,
  id: { kind: "id", isNullable: false, check: text } as Form<string>,
  /** `YYYY-MM-DD`. */
  day: { kind: "day", isNullable: false, check: text } as Form<string>,
  flag: { kind: "flag", isNullable: false, check: flag } as Form<boolean>,
  moment: { kind: "moment", isNullable: false, check: date } as Form<Date>,
  /** How many items a list may return. */
  count: { kind: "count", isNullable: false, check: count } as Form<number>,
  /** The number of an item that a column holds, from 0. */
  ordinal: { kind: "count", isNullable: false, check: ordinal } as Form<number>,
  /** Both inclusive. */
  whole: (min: number, max: number): Form<number> => ({ kind: "count", isNullable: false, check: whole(min, max) }),
  number: { kind: "number", isNullable: false, check: number } as Form<number>,
  /** A JSON object. */
  object: <Value = Readonly<Record<string, unknown>>>(): Form<Value> => ({
    kind: "object",
    isNullable: false,
    check: record,
  }),
  record: <Of extends Fields>(fields: Of): RecordForm<Of> => ({
    kind: "record",
    isNullable: false,
    check: record,
    fields,
  }),
  records: <Of extends Fields>(fields: Of): RecordForm<Of, readonly Plain<RecordOf<Of>>[]> => ({
    kind: "records",
    isNullable: false,
    check: list(record),
    fields,
  }),
  texts: { kind: "texts", isNullable: false, check: list(text) } as Form<readonly string[]>,
  /** Objects of which only that they are objects is checked. `remedy`: what to pass. */
  objects: <Value>(remedy?: string): Form<readonly Value[]> => ({
    kind: "objects",
    isNullable: false,
    check: list(record, remedy),
  }),
  list: <Value>(item: Form<Value>, remedy?: string): ListForm<Value> => ({
    kind: "list",
    isNullable: false,
    check: list(item.check, remedy),
    item,
  }),
  options: <Of extends Fields, const Required extends keyof Of = never>(
    fields: Of,
    facts: OptionsFacts<Required> = {},
  ): OptionsForm<Of, NoInfer<Required>> => ({
    kind: "options",
    isNullable: false,
    check: optionsOf(fields, facts),
    fields,
    required: facts.required ?? [],
  }),
  maybe: <Value>(of: Form<Value>): MaybeForm<Value> => ({ ...of, isMaybe: true }),
  choice: <const Value extends string>(...values: readonly [Value, ...Value[]]): ChoiceForm<Value> => ({
    kind: "choice",
    isNullable: false,
    check: oneOf(...values),
    values,
  }),
  /** Any JSON value. */
  json: <Value = unknown>(check: ArgumentCheck = anything): Form<Value> => ({ kind: "json", isNullable: false, check }),
  /** What only a program can pass, such as a function. */
  program: <Value>(check: ArgumentCheck = anything): Form<Value> => ({ kind: "program", isNullable: false, check }),
  nullable: <Value>(of: Form<Value>): Form<Value | null> => ({ ...of, isNullable: true, check: nullable(of.check) }),
};

export interface OptionsFacts<Required> extends OtherOptions {
  /** The fields that must be given. */
  readonly required?: readonly Required[];
}

/** Checks options of the fields. Those of `required` must be given. */
export function optionsOf<Of extends Fields>(
  fields: Of,
  { required = [], ...named }: OptionsFacts<keyof Of> = {},
): ArgumentCheck {
  const checkOf = ([name, { check }]: readonly [string, Form<unknown>]) =>
    [name, required.includes(name) ? check : optional(check)] as const;
  return options(Object.fromEntries(Object.entries(fields).map(checkOf)), named);
}
