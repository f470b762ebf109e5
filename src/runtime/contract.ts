// Defines contracts. A contract is the table of a group of operations, such as `runtime.agents`; the library's argument checks
// and the routes of `/api` are made from it.
// Invariant: pure; a table that lacks a function of its interface does not compile.
import {
  type ArgumentCheck,
  type CallChecks,
  checkThat,
  optional,
  type OtherNames,
} from "../base/arguments/argument-checks.ts";
import { type Fields, form, type Form, type OptionsFacts, type OptionsOf, optionsOf } from "../base/arguments/forms.ts";
import type { ErrorCode } from "../base/errors.ts";

/** An argument that is one value. */
export interface ValueArgument<Name extends string = string, Value = unknown, IsOptional extends boolean = boolean> {
  readonly name: Name;
  readonly form: Form<Value>;
  readonly isOptional: IsOptional;
}

/** An argument that is an object of options. */
export interface OptionsArgument<Of extends Fields = Fields, Required extends keyof Of = keyof Of> {
  readonly name: string;
  readonly fields: Of;
  /** Options that only the library has, not `/api`. */
  readonly own?: Fields;
  readonly required: readonly Required[];
  readonly otherNames: OtherNames;
  readonly isOptional: boolean;
}

/** An argument that only a program can pass, such as a function. For `signal`, `/api` passes the signal of the request. */
export interface OwnArgument {
  readonly name: string;
  readonly check: ArgumentCheck;
  /** The value that `/api` passes for this argument. */
  readonly sent?: unknown;
}

export type Argument = ValueArgument | OptionsArgument | OwnArgument;

/** Options for a caller whose key has not been verified yet. */
export const ofKey = {
  /** The id of a key of the user. The operation's first statement checks that the key is valid. Default: no key is checked. */
  keyId: form.id,
  /**
   * Called before anything else is read, unless the operation's first statement finds the key, the agent and the
   * conversation. It may verify the key; if it throws, the operation ends without any effect.
   */
  beforeReading: form.program<() => Promise<void>>(checkThat("a function", (given) => typeof given === "function")),
};

type HttpRoute = `${"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} /${string}`;

/**
 * The output of a route: a record, a list of records (`[fields]`), a value by itself or as the only field of an object, events
 * as a stream, a file, or nothing.
 */
type HttpOutput = Fields | readonly [Fields] | Form<unknown> | ValueArgument | "events" | "bytes" | null;

interface HttpFacts {
  /** The HTTP status of a success; default 200, or 204 if there is no output. */
  readonly status?: 201;
  /** The error code and the message of the 404 response if the function returns false. */
  readonly missing?: readonly [code: ErrorCode, text: string];
  /** Set if the agent is opened even without its model's key and, for a route that only reads, without writing. */
  readonly callsNoModel?: true;
}

/**
 * The route of an operation in `/api`. The first arguments are the parameters of the path, in order; the others are in the
 * query and the body.
 */
export interface HttpOperation<
  Route extends HttpRoute = HttpRoute,
  Output extends HttpOutput = HttpOutput,
  Scope extends "read" | "chat" | "admin" = "read" | "chat" | "admin",
> extends HttpFacts {
  readonly route: Route;
  /** A description of the route: an imperative without a full stop. */
  readonly summary: string;
  /** The scope that the caller's key must have. */
  readonly scope: Scope;
  readonly output: Output;
}

function httpOf<Scope extends "read" | "chat" | "admin">(scope: Scope) {
  return <const Route extends HttpRoute, const Output extends HttpOutput>(
    route: Route,
    summary: string,
    output: Output,
    facts: HttpFacts = {},
  ): HttpOperation<Route, Output, Scope> => ({ route, summary, scope, output, ...facts });
}

/** Routes by the scope that a key must have. */
export const read = httpOf("read");
export const chat = httpOf("chat");
export const admin = httpOf("admin");

export interface Operation {
  readonly args: readonly Argument[];
  /** The function returns no promise: it throws if an argument is invalid. */
  readonly isImmediate?: true;
  /** The route in `/api`, or a text that says why there is none. */
  readonly http: HttpOperation | string;
}

export type Contract<Operations> = { readonly [Name in keyof Operations]: Operation };

/** Options that select a part of a list, like `ListRange`. */
export const listFields = {
  order: form.choice("oldest", "newest"),
  after: form.id,
  before: form.id,
  limit: form.nullable(form.count),
};

/** Options that select a page of a list. */
export const pageFields = {
  /** The number of the page, from 0. */
  page: form.whole(0, 1_000_000),
  pageSize: form.whole(1, 1_000),
};

export interface PageOptions extends OptionsOf<typeof pageFields> {}

export function value<const Name extends string, Value>(
  name: Name,
  form: Form<Value>,
): ValueArgument<Name, Value, false> {
  return { name, form, isOptional: false };
}

export function optionalValue<const Name extends string, Value>(
  name: Name,
  form: Form<Value>,
): ValueArgument<Name, Value, true> {
  return { name, form, isOptional: true };
}

/** Returns an argument with options, which callers must pass. */
export function optionsNamed<Of extends Fields, const Required extends keyof Of = never>(
  name: string,
  fields: Of,
  { required = [], otherNames = {} }: OptionsFacts<Required> = {},
): OptionsArgument<Of, NoInfer<Required>> {
  return { name, fields, required, otherNames, isOptional: false };
}

/** Returns an argument with options, which callers can leave out. */
export function optionalOptions<Of extends Fields>(
  fields: Of,
  facts: Pick<OptionsArgument, "own"> & { readonly name?: string } = {},
): OptionsArgument<Of, never> {
  return { name: "options", fields, required: [], otherNames: {}, isOptional: true, ...facts };
}

/** The output of a request that may be repeated: whether this request changed something. */
export const isChanged = value("isChanged", form.flag);

/** Returns the library's argument checks for the functions of a contract. */
export function checksOf<Operations>(contract: Contract<Operations>): CallChecks<Operations> {
  const checks = Object.entries<Operation>(contract)
    .filter(([, { args }]) => args.length > 0)
    .map(([name, { args, isImmediate }]) => [
      name,
      {
        fails: isImmediate ? "at-once" : "later",
        args: args.map((argument) => [argument.name, checkOf(argument)] as const),
      },
    ]);
  return Object.fromEntries(checks) as CallChecks<Operations>;
}

function checkOf(argument: Argument): ArgumentCheck {
  if ("check" in argument) return argument.check;
  const check = "form" in argument ? argument.form.check : optionsOf({ ...argument.fields, ...argument.own }, argument);
  return argument.isOptional ? optional(check) : check;
}
