// Reads the input of a route: the path, the query and the body of a request, as the route's schemas parse them.
// Invariant: an error names each invalid field and the expected value, and does not repeat a value that was sent.
import type { Context } from "hono";
import type { Admitted } from "./admission.ts";
import { readContent } from "./read-body.ts";
import type { Route } from "./route.ts";
import type * as z from "zod";
import { Fault } from "./fault.ts";

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

/** Returns the value as the schema parses it. Throws Fault `request_invalid` with a line for each invalid field. */
function valid(schema: z.ZodType, value: unknown, part: "path" | "query" | "body"): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const fields = result.error.issues.map(({ path, message }) => ({ field: [part, ...path].join("."), message }));
  const lines = fields.map(({ field, message }) => `${field}: ${message}`);
  throw new Fault(400, "request_invalid", lines.join("; "), { fields });
}

/** Returns a query as an object; a repeated parameter becomes a list. */
function queryOf(search: URLSearchParams): Readonly<Record<string, string | readonly string[]>> {
  return Object.fromEntries(
    [...new Set(search.keys())].map((name) => {
      const values = search.getAll(name);
      return [name, values.length === 1 ? (values[0] as string) : values];
    }),
  );
}
