// Derives the types of requests and results of `/api` from the server's table of routes.
// Invariant: types only, so that a client loads no code of the server.
import type { apiRoutes } from "../http/api/api-door.ts";

type ApiRoute = (typeof apiRoutes)[number];

/** Every route by its name, such as `GET /agents/:agent`, with the JSON that it takes and returns. */
export type Api = {
  [Route in ApiRoute as `${Uppercase<Route["method"]>} ${Route["path"]}`]: NonNullable<Route["wire"]>;
};

type Named<Output> = {
  [Name in keyof Api]: Api[Name]["output"] extends Output ? Name : never;
}[keyof Api];

/** A route that answers with a stream of events. */
export type StreamName = Named<"events">;

/** A route that answers with a file. */
export type DownloadName = Named<"bytes">;

/** A route that answers with one JSON value, or with nothing. */
export type CallName = Exclude<keyof Api, StreamName | DownloadName>;

export type CallResult<Name extends CallName> = Api[Name]["output"];

/** A value in a query. Numbers and booleans are sent as text. */
type QueryValue<Value> =
  | Value
  | (string extends Value ? number : never)
  | ("true" | "false" extends Value ? boolean : never);

type Query<Given> = { readonly [Name in keyof Given]: QueryValue<Given[Name]> };

/** A part of a request: required if it has a required field, absent if the route does not have the part. */
type Part<Name extends string, Given, Value = Given> = string extends keyof Given
  ? object
  : object extends Given
    ? { readonly [Key in Name]?: Value }
    : { readonly [Key in Name]: Value };

type BodyPart<Given> = undefined extends Given
  ? object
  : object extends Given
    ? { readonly body?: Given }
    : { readonly body: Given };

export interface CallOptions {
  /** Ends the request when aborted. A turn that the request has started continues. */
  readonly signal?: AbortSignal;
}

export type ApiRequest<Name extends keyof Api> = CallOptions &
  Part<"params", Api[Name]["params"]> &
  Part<"query", Api[Name]["query"], Query<Api[Name]["query"]>> &
  BodyPart<Api[Name]["body"]>;

/** The request as an argument, which is optional if every part of the request is optional. */
export type RequestArgument<Name extends keyof Api> =
  object extends ApiRequest<Name> ? [request?: ApiRequest<Name>] : [request: ApiRequest<Name>];
