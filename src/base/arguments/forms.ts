// Forms of values: one table of fields, from which the type of a record, the checks of options, and the shapes of the surfaces
// are made.
// Invariant: pure; the check of a form accepts the values of its type.
import {
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
  type OptionsForm,
  record,
  text,
} from "./argument-checks.ts";

/** What a surface makes its own shape of. */
export type FormKind =
  | "text"
  | "id"
  | "flag"
  | "moment"
  | "count"
  | "number"
  | "choice"
  | "texts"
  | "object"
  | "objects"
  | "record";

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

/** A value that is a record itself. */
export interface RecordForm<Of extends Fields = Fields> extends Form<RecordOf<Of>> {
  readonly fields: Of;
}

export type Fields = Readonly<Record<string, Form<unknown>>>;

type ValueOf<Given> = Given extends Form<infer Value> ? Value : never;

/** A record with a value for each field. */
export type RecordOf<Of extends Fields> = { readonly [Name in keyof Of]: ValueOf<Of[Name]> };

/** Options with a value for some fields; those of `Required` must be given. */
export type OptionsOf<Of extends Fields, Required extends keyof Of = never> = {
  readonly [Name in Exclude<keyof Of, Required>]?: ValueOf<Of[Name]>;
} & { readonly [Name in Required]: ValueOf<Of[Name]> };

/** The forms of values. */
export const form = {
  text: { kind: "text", isNullable: false, check: text } as Form<string>,
  id: { kind: "id", isNullable: false, check: text } as Form<string>,
  flag: { kind: "flag", isNullable: false, check: flag } as Form<boolean>,
  moment: { kind: "moment", isNullable: false, check: date } as Form<Date>,
  /** How many items a list may return. */
  count: { kind: "count", isNullable: false, check: count } as Form<number>,
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
  texts: { kind: "texts", isNullable: false, check: list(text) } as Form<readonly string[]>,
  /** Objects of which only that they are objects is checked. `remedy`: what to pass. */
  objects: <Value>(remedy: string): Form<readonly Value[]> => ({
    kind: "objects",
    isNullable: false,
    check: list(record, remedy),
  }),
  choice: <const Value extends string>(...values: readonly [Value, ...Value[]]): ChoiceForm<Value> => ({
    kind: "choice",
    isNullable: false,
    check: oneOf(...values),
    values,
  }),
  nullable: <Value>(of: Form<Value>): Form<Value | null> => ({ ...of, isNullable: true, check: nullable(of.check) }),
};

/** Checks options of the fields. Those of `required` must be given. */
export function optionsOf<Of extends Fields>(
  fields: Of,
  { required = [], ...named }: OptionsForm & { readonly required?: readonly (keyof Of)[] } = {},
): ArgumentCheck {
  const checkOf = ([name, { check }]: readonly [string, Form<unknown>]) =>
    [name, required.includes(name) ? check : optional(check)] as const;
  return options(Object.fromEntries(Object.entries(fields).map(checkOf)), named);
}
