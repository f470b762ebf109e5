// Builds the routes of `/v1`: single routes from a method and a path, such as `get /blocks/:block`, and the routes that most
// kinds of records have: list, create, count, get, change, remove.
// Invariant: a path parameter with the name of a kind of id is an id of that kind; any other path parameter is a text.
import * as z from "zod";
import { type Method, type Route, type RouteCall, route, type Scope } from "../route.ts";
import { type IdName, parameterNamed } from "./ids.ts";

type NamesIn<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

type ParamsOf<Head extends string> = { readonly [Name in NamesIn<Head>]: string };

interface Facts extends Pick<Route, "output" | "isForm" | "mayStream" | "checksKey"> {
  /** The schema of the path's parameters. Default: each parameter is an id or a text, which its name decides. */
  readonly params?: z.ZodType;
}

type Run<Params, Query extends z.ZodType, Body extends z.ZodType, Result = unknown> = (
  call: RouteCall<Params, z.output<Query>, z.output<Body>>,
) => Promise<Result>;

interface Definition<Params, Query extends z.ZodType, Body extends z.ZodType> extends Facts {
  readonly query?: Query;
  readonly body?: Body;
  readonly run: Run<Params, Query, Body>;
}

const none = z.strictObject({});
type None = typeof none;
type NoBody = z.ZodUndefined;

/** Returns a route. `head`: its method and path, such as `get /blocks/:block`. */
export function on<
  const Head extends `${Method} /${string}`,
  Query extends z.ZodType = None,
  Body extends z.ZodType = NoBody,
>(head: Head, scope: Scope, summary: string, definition: Definition<ParamsOf<Head>, Query, Body>): Route {
  return made(head, { scope, summary, ...definition });
}

interface MadeRoute extends Facts {
  readonly scope: Scope;
  readonly summary: string;
  readonly query?: z.ZodType | undefined;
  readonly body?: z.ZodType | undefined;
  readonly run: (call: never) => Promise<unknown>;
}

function made(head: string, { query, body, run, ...facts }: MadeRoute): Route {
  const [method, path = ""] = head.split(" ");
  const names = path.split("/").flatMap((part) => (part.startsWith(":") ? [part.slice(1)] : []));
  const params = z.object(Object.fromEntries(names.map((name) => [name, parameterNamed(name)])));
  const sent = { ...(query === undefined ? {} : { query }), ...(body === undefined ? {} : { body }) };
  // The cast is sound: the schemas return what the handler takes.
  return route({ params, ...facts, ...sent, method: method as Method, path, run: run as Route["run"] });
}

/** A request of any route. */
type AnyCall = RouteCall<unknown, unknown, unknown>;

export interface RecordKind<Item> {
  /** The path parameter that holds a record's id. */
  readonly param: IdName;
  /** The kind of record in the summaries of the routes, with its article: `a block`. */
  readonly one: string;
  /** The plural in the summaries: `blocks`. */
  readonly many: string;
  readonly shape: z.ZodType;
  /** Returns the JSON of the records, in their order. `isChange`: the request changes a record. */
  readonly show: (
    items: readonly Item[],
    call: AnyCall,
    isChange: boolean,
  ) => readonly unknown[] | Promise<readonly unknown[]>;
}

/** The optional parts of a record's route. Each route has its own defaults of `scope` and `summary`. */
interface Given<Query, Body> {
  readonly scope?: Scope;
  readonly summary?: string;
  readonly query?: Query;
  readonly body?: Body;
}

type OfAll<Query extends z.ZodType, Body extends z.ZodType, Result> = Given<Query, Body> & {
  readonly run: Run<unknown, Query, Body, Result>;
};

/** A route about one record. `id`: the UUID in its path. */
type OfOne<Query extends z.ZodType, Body extends z.ZodType, Result> = Given<Query, Body> & {
  readonly run: (call: RouteCall<unknown, z.output<Query>, z.output<Body>>, id: string) => Promise<Result>;
};

/** Returns functions that each build a route of a kind of record. Their argument `run` handles the requests of the route. */
export function recordRoutes<Item>(base: `/${string}`, { param, one, many, shape, show }: RecordKind<Item>) {
  const at = `${base}/:${param}`;
  const idIn = ({ params }: AnyCall): string => (params as Readonly<Record<string, string>>)[param]!;
  /** Builds a route that answers with one record. Each method but `get` changes the record. */
  const single = <Query extends z.ZodType, Body extends z.ZodType>(
    head: string,
    summary: string,
    { run, ...more }: OfOne<Query, Body, Item>,
  ): Route => {
    const isChange = !head.startsWith("get ");
    return made(head, {
      scope: isChange ? "admin" : "read",
      summary,
      output: shape,
      ...more,
      run: async (call: Parameters<typeof run>[0]) => (await show([await run(call, idIn(call))], call, isChange))[0],
    });
  };
  return {
    list: <Query extends z.ZodType = None>({ run, ...more }: OfAll<Query, NoBody, readonly Item[]>): Route =>
      made(`get ${base}`, {
        scope: "read",
        summary: `List ${many}`,
        output: z.array(shape),
        ...more,
        run: async (call: Parameters<typeof run>[0]) => show(await run(call), call, false),
      }),
    create: <Body extends z.ZodType, Query extends z.ZodType = None>(given: OfAll<Query, Body, Item>): Route =>
      single(`post ${base}`, `Create ${one}`, given),
    /** Builds a route that creates a record, or changes the existing one. */
    upsert: <Body extends z.ZodType>(given: OfAll<None, Body, Item>): Route =>
      single(`put ${base}`, `Create ${one}`, given),
    count: <Query extends z.ZodType = None>(given: OfAll<Query, NoBody, number>): Route =>
      made(`get ${base}/count`, { scope: "read", summary: `Count the ${many}`, output: z.int(), ...given }),
    get: <Query extends z.ZodType = None>(given: OfOne<Query, NoBody, Item>): Route =>
      single(`get ${at}`, `Get ${one}`, given),
    change: <Body extends z.ZodType>(given: OfOne<None, Body, Item>): Route =>
      single(`patch ${at}`, `Change ${one}`, given),
    /** Builds a route that deletes a record. `isSilent`: the response has no body; otherwise its body is null. */
    remove: ({ run, isSilent, ...more }: OfOne<None, NoBody, unknown> & { readonly isSilent?: true }): Route =>
      made(`delete ${at}`, {
        scope: "admin",
        summary: `Delete ${one}`,
        output: isSilent === true ? null : z.null(),
        ...more,
        run: async (call: Parameters<typeof run>[0]) => {
          await run(call, idIn(call));
          return null;
        },
      }),
  };
}
