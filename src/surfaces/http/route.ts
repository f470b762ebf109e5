// Describes a route of an API of the server (a door) as data. Router, validation, OpenAPI document and tests derive from it.
// Invariant: a handler gets only values that its schemas accept, and a runtime that allows what the key allows.
import * as z from "zod";
import type { Queues } from "../../base/waiting.ts";
import type { UserRuntime } from "../../runtime/runtime.ts";
import type { LeftOutAnswers } from "./chat/left-out.ts";

/** The scopes of keys, each including the ones before it. */
export const scopes = ["read", "chat", "admin"] as const;
export type Scope = (typeof scopes)[number];

export type Method = "get" | "post" | "put" | "patch" | "delete";

export interface RouteCall<Params, Query, Body> {
  /** The runtime of the key's user, which refuses what the key does not allow. */
  readonly runtime: UserRuntime;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly headers: Headers;
  /** The answers that were still being generated when a page loaded their chat. All requests to a server share them. */
  readonly leftOut: LeftOutAnswers;
  /** Runs changes that read an agent before they write it, one at a time for each agent. All requests to a server share it. */
  readonly agentChanges: Queues;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

interface RouteFacts {
  readonly method: Method;
  /** The path below the path of the door, with `:name` for parameters. */
  readonly path: string;
  /** For the OpenAPI document: an imperative without a full stop. */
  readonly summary: string;
  /** The scope that the key must have. */
  readonly scope: Scope;
  /** The status of a success; default 200, or 204 if `output` is null. */
  readonly status?: number;
  /** The body is a form with files (`multipart/form-data`); its schema gets an object of strings and Files. Default: JSON. */
  readonly isForm?: true;
  /** The JSON of a success; `events`: a stream of server-sent events; `bytes`: a file; null: no body. */
  readonly output: z.ZodType | "events" | "bytes" | null;
  /** The handler of a route with the output `events` may resolve to null; the status is then 204. */
  readonly mayBeEmpty?: true;
  /** The request can ask for a stream of events instead of JSON. */
  readonly mayStream?: true;
  /** The SQL statement that starts or reads the turn also checks a key that was verified in the last minute. */
  readonly checksKey?: true;
}

export interface RouteDefinition<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType>
  extends RouteFacts {
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /**
   * Returns the value of `output`, in which dates become ISO 8601, or an EventStream or SentBytes. Throws RuntimeError and
   * Fault.
   */
  readonly run: (call: RouteCall<z.output<Params>, z.output<Query>, z.output<Body>>) => Promise<unknown>;
}

/** A route with any types: its handler takes the values that its schemas return. */
export interface Route extends RouteFacts {
  readonly params: z.ZodType;
  readonly query: z.ZodType;
  /** The schema of the body; null if the route has none. */
  readonly body: z.ZodType | null;
  readonly run: (call: RouteCall<unknown, unknown, unknown>) => Promise<unknown>;
}

/** A route with the types of the values that a client sends and receives. */
export interface TypedRoute<Facts extends Pick<RouteFacts, "method" | "path" | "output">, Params, Query, Body>
  extends Route {
  readonly method: Facts["method"];
  readonly path: Facts["path"];
  /** Never set. Only its type is used: the JSON that is sent and received. */
  readonly wire?: {
    readonly params: Params;
    readonly query: Query;
    readonly body: Body;
    readonly output: Facts["output"] extends z.ZodType ? z.output<Facts["output"]> : Facts["output"];
  };
}

const none = z.strictObject({});

export function route<
  const M extends Method,
  const Path extends string,
  Out extends RouteFacts["output"],
  Params extends z.ZodType = typeof none,
  Query extends z.ZodType = typeof none,
  Body extends z.ZodType = z.ZodUndefined,
>({
  params,
  query,
  body,
  run,
  ...facts
}: RouteDefinition<Params, Query, Body> & {
  readonly method: M;
  readonly path: Path;
  readonly output: Out;
}): TypedRoute<{ method: M; path: Path; output: Out }, z.input<Params>, z.input<Query>, z.input<Body>> {
  return {
    ...facts,
    params: params ?? none,
    query: query ?? none,
    body: body ?? null,
    // The cast is sound: the caller passes only what these schemas returned.
    run: run as Route["run"],
  };
}

/** Returns whether a key of scope `held` may use a route that needs `needed`. */
export function allows(held: Scope, needed: Scope): boolean {
  return scopes.indexOf(held) >= scopes.indexOf(needed);
}
