// Defines tables of fields, each with the form of its value. One table defines the type of a record, the checks of
// options and the schemas of the surfaces.
// Invariant: pure; the check and the type of a form are for the same kind of value.
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

/** The kind of a value. Each surface derives its own schema from it. */
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
  /** Never set: it only carries the type of the values for the compiler. */
  readonly value?: Value;
}

export interface ChoiceForm<Value extends string> extends Form<Value> {
  readonly values: readonly [Value, ...Value[]];
}

/** A value that is a record, or a list of records. */
export interface RecordForm<Of extends Fields = Fields, Value = Plain<RecordOf<Of>>> extends Form<Value> {
  readonly fields: Of;
}

export interface ListForm<Value> extends Form<readonly Value[]> {
  readonly item: Form<Value>;
}

/** A value that is an object of options. */
export interface OptionsForm<Of extends Fields = Fields, Required extends keyof Of = keyof Of>
  extends Form<Plain<OptionsOf<Of, Required>>> {
  readonly fields: Of;
  readonly required: readonly Required[];
}

/** A value that may be absent from a record. */
export interface MaybeForm<Value> extends Form<Value> {
  readonly isMaybe: true;
}

export type Fields = Readonly<Record<string, Form<unknown>>>;

/** Expands an object type into its fields. Otherwise, editors would show the type's name inside of other record types. */
type Plain<Value> = Value extends infer Own ? { readonly [Name in keyof Own]: Own[Name] } : never;

type ValueOf<Given> = Given extends Form<infer Value> ? Value : never;

/** The type of a record with these fields; fields with a `MaybeForm` are optional. */
export type RecordOf<Of extends Fields> = {
  readonly [Name in keyof Of as Of[Name] extends MaybeForm<unknown> ? never : Name]: ValueOf<Of[Name]>;
} & { readonly [Name in keyof Of as Of[Name] extends MaybeForm<unknown> ? Name : never]?: ValueOf<Of[Name]> };

/** The type of options with these fields. Only the fields in `Required` must be given. */
export type OptionsOf<Of extends Fields, Required extends keyof Of = never> = {
  readonly [Name in Exclude<keyof Of, Required>]?: ValueOf<Of[Name]>;
} & { readonly [Name in Required]: ValueOf<Of[Name]> };

/** Returns the form of the values that the check accepts. */
function formOf<Value>(kind: FormKind, check: ArgumentCheck): Form<Value> {
  return { kind, isNullable: false, check };
}

export const form = {
  text: formOf<string>("text", text),
  id: formOf<string>("id", text),
  /** `YYYY-MM-DD`. */
  day: formOf<string>("day", text),
  flag: formOf<boolean>("flag", flag),
  moment: formOf<Date>("moment", date),
  /** The maximum number of items that a call returns: a whole number, at least 1. */
  count: formOf<number>("count", count),
  /** A whole number, at least 0, that fits into an `integer` column. */
  ordinal: formOf<number>("count", ordinal),
  /** A whole number from `min` to `max`, both inclusive. */
  whole: (min: number, max: number) => formOf<number>("count", whole(min, max)),
  number: formOf<number>("number", number),
  object: <Value = Readonly<Record<string, unknown>>>() => formOf<Value>("object", record),
  record: <Of extends Fields>(fields: Of): RecordForm<Of> => ({ ...formOf("record", record), fields }),
  records: <Of extends Fields>(fields: Of): RecordForm<Of, readonly Plain<RecordOf<Of>>[]> => ({
    ...formOf("records", list(record)),
    fields,
  }),
  texts: formOf<readonly string[]>("texts", list(text)),
  /** A list of objects whose fields are not checked. `remedy`: what the error says to pass instead of a wrong value. */
  objects: <Value>(remedy?: string) => formOf<readonly Value[]>("objects", list(record, remedy)),
  list: <Value>(item: Form<Value>, remedy?: string): ListForm<Value> => ({
    ...formOf("list", list(item.check, remedy)),
    item,
  }),
  options: <Of extends Fields, const Required extends keyof Of = never>(
    fields: Of,
    facts: OptionsFacts<Required> = {},
  ): OptionsForm<Of, NoInfer<Required>> => ({
    ...formOf("options", optionsOf(fields, facts)),
    fields,
    required: facts.required ?? [],
  }),
  maybe: <Value>(of: Form<Value>): MaybeForm<Value> => ({ ...of, isMaybe: true }),
  choice: <const Value extends string>(...values: readonly [Value, ...Value[]]): ChoiceForm<Value> => ({
    ...formOf("choice", oneOf(...values)),
    values,
  }),
  json: <Value = unknown>(check: ArgumentCheck = anything) => formOf<Value>("json", check),
  /** A value that only a program can pass, such as a function. */
  program: <Value>(check: ArgumentCheck = anything) => formOf<Value>("program", check),
  nullable: <Value>(of: Form<Value>): Form<Value | null> => ({ ...of, isNullable: true, check: nullable(of.check) }),
};

export interface OptionsFacts<Required> extends OtherOptions {
  /** The names of the fields that must be given. */
  readonly required?: readonly Required[];
}

/** Returns a check of options with these fields. The fields in `required` must be given. */
export function optionsOf<Of extends Fields>(
  fields: Of,
  { required = [], ...named }: OptionsFacts<keyof Of> = {},
): ArgumentCheck {
  const checkOf = ([name, { check }]: readonly [string, Form<unknown>]) =>
    [name, required.includes(name) ? check : optional(check)] as const;
  return options(Object.fromEntries(Object.entries(fields).map(checkOf)), named);
}
