// Routes of `/api`, made from the contract of an aggregate.
// Invariant: a route calls one operation, with what its path, its query or its body has; an absent option stays absent.
import * as z from "zod";
import type { Fields, OptionsOf, RecordOf } from "../../../base/arguments/forms.ts";
import type { Argument, HttpOperation, Operation, OptionsArgument, ValueArgument } from "../../../runtime/contract.ts";
import type { UserRuntime } from "../../../runtime/runtime.ts";
import type { Method, Route, TypedRoute } from "../route.ts";
import { type JsonOf, optionsShape, queryShape, recordShape, valuesShape } from "./form-shapes.ts";
import { given } from "./parameters.ts";

/** The names of a path's parameters. */
type Named<Path> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | Named<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** A body has the options as JSON, or values by their names. */
type Body<Args> = [Extract<Args, OptionsArgument>] extends [never]
  ? JsonOf<{ readonly [Item in Args as Item extends ValueArgument<infer Name> ? Name : never]: ValueOf<Item> }>
  : Args extends OptionsArgument<infer Of, infer Required>
    ? JsonOf<OptionsOf<Of, Required>>
    : never;
type ValueOf<Item> = Item extends ValueArgument<string, infer Value> ? Value : never;

/** A query has texts. */
type Query<Args> = {
  readonly [Item in Args as Item extends ValueArgument<infer Name> ? Name : never]?: string;
} & ([Extract<Args, OptionsArgument>] extends [never]
  ? unknown
  : Args extends OptionsArgument<infer Of>
    ? { readonly [Name in keyof Of]?: TextOf<RecordOf<Of>[Name]> }
    : never);
type TextOf<Value> = Value extends string | readonly string[] ? Value : string;

/** The arguments after those of the path. */
type After<Path, Args> = Path extends `${string}:${infer Rest}`
  ? Args extends readonly [unknown, ...infer More]
    ? After<Rest, More>
    : readonly []
  : Args;

type Output<Of> = Of extends readonly [infer Item extends Fields]
  ? readonly JsonOf<RecordOf<Item>>[]
  : Of extends Fields
    ? JsonOf<RecordOf<Of>>
    : null;

type Items<List> = List extends readonly (infer Item)[] ? Item : never;

type RouteOf<Of> = Of extends {
  readonly args: infer Args;
  readonly http: { readonly route: `${infer Verb} ${infer Path}`; readonly output: infer Out };
}
  ? TypedRoute<
      { method: Lowercase<Verb> & Method; path: Path; output: Out extends null ? null : z.ZodType<Output<Out>> },
      { readonly [Name in Named<Path>]: string },
      Verb extends "GET" ? Query<Items<After<Path, Args>>> : Record<never, never>,
      Verb extends "GET" | "DELETE" ? undefined : Body<Items<After<Path, Args>>>
    >
  : never;

type Values = Readonly<Record<string, unknown>>;

type Operations = Readonly<Record<string, Operation>>;

/** Returns a route for each operation that `/api` has. `select` returns the object with the functions. */
export function operationRoutes<const Of extends Operations>(
  contract: Of,
  select: (runtime: UserRuntime) => { readonly [Name in keyof Of]: unknown },
): readonly RouteOf<Of[keyof Of]>[] {
  const routes = Object.entries<Operation>(contract).flatMap(([name, { args, http }]) => {
    if (typeof http === "string") return [];
    const call = (runtime: UserRuntime, values: readonly unknown[]) =>
      Reflect.apply(select(runtime)[name] as () => Promise<unknown>, undefined, values);
    return [routeOf(http, args, call)];
  });
  return routes as readonly Route[] as readonly RouteOf<Of[keyof Of]>[];
}

function routeOf(
  { route, output, ...facts }: HttpOperation,
  args: readonly Argument[],
  call: (runtime: UserRuntime, values: readonly unknown[]) => Promise<unknown>,
): Route {
  const [verb = "", path = ""] = route.split(" ");
  const inPath = [...path.matchAll(/:(\w+)/gu)].map(([, name = ""]) => name);
  const sent = args.slice(inPath.length);
  const options = sent.find((argument) => "fields" in argument);
  const values = sent.filter((argument) => "form" in argument);
  const isQueried = verb === "GET";
  const parameters = inPath.map((name, index) => [name, pathShape(args[index])]);
  return {
    ...facts,
    method: verb.toLowerCase() as Method,
    path,
    params: z.strictObject(Object.fromEntries(parameters)),
    query: isQueried ? queryShape(values, options?.fields ?? {}) : queryShape([], {}),
    body: isQueried || verb === "DELETE" ? null : bodyShape(values, options),
    output: outputShape(output),
    run: ({ runtime, params, query, body, signal }) => {
      // A DELETE has neither.
      const received = ((isQueried ? query : body) ?? {}) as Values;
      const valueOf = ({ name }: Argument): unknown => {
        if (name === options?.name) return given(received);
        return name === "signal" ? signal : received[name];
      };
      return call(runtime, [...inPath.map((name) => (params as Values)[name]), ...sent.map(valueOf)]);
    },
  };
}

function bodyShape(values: readonly ValueArgument[], options: OptionsArgument | undefined): z.ZodType {
  return options === undefined ? valuesShape(values) : optionsShape(options);
}

function pathShape(argument: Argument | undefined): z.ZodType {
  if (argument === undefined || !("form" in argument)) throw new TypeError("a path's parameter is no value");
  return argument.form.kind === "id" ? z.uuid() : z.string();
}

function outputShape(output: HttpOperation["output"]): z.ZodType | null {
  if (output === null) return null;
  return isList(output) ? z.array(recordShape(output[0])) : recordShape(output);
}

function isList(output: Fields | readonly [Fields]): output is readonly [Fields] {
  return Array.isArray(output);
}
