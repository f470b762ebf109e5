// The input of a route: the path, the query and the body of a request, as the route's schemas return them.
import type { Context } from "hono";
import type { Admitted } from "./admission.ts";
import { readContent } from "./read-body.ts";
import type { Route } from "./route.ts";
import { queryOf, valid } from "./valid-input.ts";

export interface RouteInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

interface InputLimits extends Pick<Admitted, "share"> {
  readonly maxBodyBytes: number;
}

/** Returns the input of a request. Throws Fault `request_invalid`, and the same errors as `readContent`. */
export async function inputOf(
  context: Context,
  route: Route,
  { maxBodyBytes: bytes, share }: InputLimits,
): Promise<RouteInput> {
  const params = valid(route.params, context.req.param(), "path");
  const query = valid(route.query, queryOf(new URL(context.req.url).searchParams), "query");
  if (route.body === null) return { params, query, body: undefined };
  const { body: schema } = route;
  const parse = await readContent(context.req.raw, { bytes, share }, route);
  return share.inTurn("body", async () => ({ params, query, body: valid(schema, await parse(), "body") }));
}
