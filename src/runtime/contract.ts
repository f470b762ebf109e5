// The contract of an aggregate: its operations in one table, from which the checks of the library and the routes of `/api` are made.
// Invariant: pure; a table has an entry for each function of the interface, or it does not compile.
import { type ArgumentCheck, type CallChecks, optional, type OtherNames } from "../base/arguments/argument-checks.ts";
import { type Fields, form, type Form, optionsOf } from "../base/arguments/forms.ts";

/** One value. */
export interface ValueArgument<Name extends string = string, Value = unknown> {
  readonly name: Name;
  readonly form: Form<Value>;
  readonly isOptional: boolean;
}

/** An object of options. */
export interface OptionsArgument<Of extends Fields = Fields, Required extends keyof Of = keyof Of> {
  readonly name: string;
  readonly fields: Of;
  /** Options that `/api` does not have. */
  readonly own?: Fields;
  readonly required: readonly Required[];
  readonly otherNames: OtherNames;
  readonly isOptional: boolean;
}

/** What only a program can pass, such as a function. For `signal`, `/api` passes the signal of the request. */
export interface OwnArgument {
  readonly name: string;
  readonly check: ArgumentCheck;
}

export type Argument = ValueArgument | OptionsArgument | OwnArgument;

/** What `/api` has of an operation. Its first arguments are the parameters of the path, in their order; then come query and body. */
export interface HttpOperation {
  readonly route: `${"GET" | "POST" | "PATCH" | "DELETE"} /${string}`;
  /** An imperative without a full stop. */
  readonly summary: string;
  /** What a key must allow. */
  readonly scope: "read" | "chat" | "admin";
  /** The status of a success; default 200, or 204 if there is no output. */
  readonly status?: 201;
  /** A record, a list of records (`[fields]`), or nothing. */
  readonly output: Fields | readonly [Fields] | null;
}

export interface Operation {
  readonly args: readonly Argument[];
  /** A text: why `/api` does not have it. */
  readonly http: HttpOperation | string;
}

export type Contract<Operations> = { readonly [Name in keyof Operations]: Operation };

/** Select a part of a list, as `ListRange`. */
export const listFields = {
  order: form.choice("oldest", "newest"),
  after: form.id,
  before: form.id,
  limit: form.nullable(form.count),
};

export function value<const Name extends string, Value>(name: Name, form: Form<Value>): ValueArgument<Name, Value> {
  return { name, form, isOptional: false };
}

export function optionalValue<const Name extends string, Value>(
  name: Name,
  form: Form<Value>,
): ValueArgument<Name, Value> {
  return { name, form, isOptional: true };
}

export interface OptionsFacts<Required> {
  /** The fields that must be given. */
  readonly required?: readonly Required[];
  readonly otherNames?: OtherNames;
}

/** Options that must be given as an object. */
export function optionsNamed<Of extends Fields, const Required extends keyof Of = never>(
  name: string,
  fields: Of,
  { required = [], otherNames = {} }: OptionsFacts<Required> = {},
): OptionsArgument<Of, NoInfer<Required>> {
  return { name, fields, required, otherNames, isOptional: false };
}

/** Returns the checks of the library. */
export function checksOf<Operations>(contract: Contract<Operations>): CallChecks<Operations> {
  const checks = Object.entries<Operation>(contract)
    .filter(([, { args }]) => args.length > 0)
    .map(([name, { args }]) => [
      name,
      { fails: "later", args: args.map((argument) => [argument.name, checkOf(argument)] as const) },
    ]);
  return Object.fromEntries(checks) as CallChecks<Operations>;
}

function checkOf(argument: Argument): ArgumentCheck {
  if ("check" in argument) return argument.check;
  const check = "form" in argument ? argument.form.check : optionsOf({ ...argument.fields, ...argument.own }, argument);
  return argument.isOptional ? optional(check) : check;
}
