// Reads the input of a request: the path, the query and the body, as the schemas of the route parse them. A body is JSON
// or a form.
// Invariant: a body beyond a limit is refused before it is in memory. JSON that is nested too deeply or has too many
// values is refused before it is parsed. An error names each invalid field, up to a limit, and the expected value, and does
// not repeat a value that was sent.
import type { Context } from "hono";
import type * as z from "zod";
import { takeCodePoints } from "../../base/code-points.ts";
import { clientLeft, Fault, invalidField } from "./fault.ts";
import type { Route } from "./route.ts";
import type { Share } from "./user-shares.ts";

export interface BodyLimits {
  /** Maximum bytes of one body. */
  readonly bytes: number;
  readonly share: Pick<Share, "take" | "pace">;
}

export interface RouteInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** Returns the input of a request. Throws Fault `request_invalid`, and the same errors as `readBody`. */
export async function inputOf(
  context: Context,
  route: Route,
  limits: BodyLimits & { readonly share: Share },
): Promise<RouteInput> {
  const params = valid(route.params, context.req.param(), "path");
  const query = valid(route.query, queryOf(new URL(context.req.url).searchParams), "query");
  if (route.body === null) return { params, query, body: undefined };
  const { body: schema } = route;
  const bytes = await readBody(context.req.raw, limits);
  return limits.share.inTurn("body", async () => {
    const sent =
      route.isForm === true ? await parsedForm(bytes, context.req.header("content-type")) : parsedJson(bytes);
    return { params, query, body: valid(schema, sent, "body", bytes.byteLength > longBody ? early : {}) };
  });
}

type ParseOptions = z.core.ParseContextInternal<z.core.$ZodIssue>;

/** Bytes. An error for a longer body names one field only, because zod takes up to 25 µs per field: 12 s for 500,000. */
const longBody = 20_000;
/**
 * Ends the parsing at the first item that has a wrong type or fails a check with `abort`; after another failed check,
 * zod goes on. `abortEarly` is an internal option of zod.
 */
const early: ParseOptions = { abortEarly: true };

/** Maximum number of invalid fields that an error names; `maxFieldLength`: maximum characters of each name and text. */
const maxFields = 100;
const maxFieldLength = 500;

/** Returns the value as the schema parses it. Throws Fault `request_invalid` with a line for each invalid field. */
function valid(
  schema: z.ZodType,
  value: unknown,
  part: "path" | "query" | "body",
  options: ParseOptions = {},
): unknown {
  const result = parsed(schema, value, part, options);
  if (result.success) return result.data;
  const { issues } = result.error;
  const fields = issues.slice(0, maxFields).map(({ path, message }) => ({
    field: takeCodePoints([part, ...path].join("."), maxFieldLength),
    message: takeCodePoints(message, maxFieldLength),
  }));
  const left = issues.length - fields.length;
  if (left > 0) fields.push({ field: part, message: `And ${left} more invalid fields.` });
  const lines = fields.map(({ field, message }) => `${field}: ${message}`);
  throw new Fault(400, "request_invalid", lines.join("; "), { fields });
}

function parsed(schema: z.ZodType, value: unknown, part: string, options: ParseOptions): z.ZodSafeParseResult<unknown> {
  try {
    return schema.safeParse(value, options);
  } catch (error) {
    // Zod passes the problems of a list as arguments of one call, which can exceed the stack.
    if (!(error instanceof RangeError)) throw error;
    throw invalidField(
      part,
      "Expected fewer invalid fields: there are too many to name them. Send fewer items at once.",
    );
  }
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

/** Maximum depth of JSON: more than documents in practice have, and safe for recursive functions. */
const maxNesting = 200;

/** Maximum number of values in JSON: many more than a page of results has. Parsing them takes 0.1 s. */
const maxValues = 500_000;

/** Returns the bytes of a body. Throws Fault `client_left`, `body_too_large` and `rate_limited`. */
export async function readBody(request: Request, { bytes, share }: BodyLimits): Promise<Uint8Array> {
  const tooLarge = (): Fault => {
    return new Fault(413, "body_too_large", `The body is longer than ${bytes} bytes. Send less at once.`);
  };
  const announced = Number(request.headers.get("content-length") ?? 0);
  if (announced > bytes) throw tooLarge();
  share.take(announced);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunksOf(request, announced)) {
    length += chunk.byteLength;
    if (length > bytes) throw tooLarge();
    if (announced === 0) share.take(chunk.byteLength);
    chunks.push(chunk);
    await share.pace(chunk.byteLength);
  }
  return Buffer.concat(chunks);
}

/** Maximum `content-length` of a body that is read in one piece: the bytes that Node reads from a socket at once. */
const shortBody = 65_536;

async function* chunksOf(request: Request, announced: number): AsyncGenerator<Uint8Array, void> {
  try {
    // Reading a short body as a stream takes 0.15 ms more CPU time, because the adapter constructs a second request.
    if (announced > 0 && announced <= shortBody) yield new Uint8Array(await request.arrayBuffer());
    else if (request.body !== null) yield* request.body as unknown as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw request.signal.aborted ? clientLeft(error) : error;
  }
}

/** Returns the value of JSON; an empty object for no bytes. Throws Fault `request_invalid`. */
export function parsedJson(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) return {};
  requireSimple(bytes);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw invalidBody("The body is not JSON in UTF-8.", "Expected JSON in UTF-8.", error);
  }
}

/** Checks JSON. Throws Fault `request_invalid` if it is nested too deeply or has too many values. */
export function requireSimple(json: Uint8Array): void {
  const exceeded = exceededLimit(json, { nesting: maxNesting, values: maxValues });
  if (exceeded === "nesting") {
    const expected = `Expected lists and objects that are nested at most ${maxNesting} times.`;
    throw invalidBody("The body is nested too deeply.", expected);
  }
  if (exceeded === "values")
    throw invalidBody("The body has more than 500,000 values.", "Expected at most 500,000 values: send fewer at once.");
}

/** Returns a form as an object. If a field is repeated, its last value is used. Throws Fault `request_invalid`. */
async function parsedForm(bytes: Uint8Array, contentType = ""): Promise<unknown> {
  try {
    const form = await new Response(new Uint8Array(bytes), {
      headers: { "content-type": contentType },
    }).formData();
    return Object.fromEntries(form);
  } catch (error) {
    throw invalidBody("The body is not a form.", "Expected multipart/form-data.", error);
  }
}

function invalidBody(message: string, expected: string, cause?: unknown): Fault {
  return new Fault(400, "request_invalid", message, { fields: [{ field: "body", message: expected }], cause });
}

const [quote, backslash] = Buffer.from('"\\');

/** The change of the depth (`deeper`) and of the number of values (`more`) by each byte outside of a string. */
const deeper = tableOf({ "[": 1, "{": 1, "]": -1, "}": -1 });
const more = tableOf({ "[": 1, "{": 1, ",": 1 });

interface JsonLimits {
  /** Maximum depth of lists and objects within each other. */
  readonly nesting: number;
  /** Maximum number of items of lists and fields of objects, in total. */
  readonly values: number;
}

/** Returns the limit that a JSON text exceeds first, or null. For a text that is not JSON, the result has no meaning. */
export function exceededLimit(json: Uint8Array, limits: JsonLimits): keyof JsonLimits | null {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at]!;
    if (byte === quote) at = endOfText(json, at + 1);
    depth += deeper[byte]!;
    values += more[byte]!;
    if (depth > limits.nesting) return "nesting";
    if (values > limits.values) return "values";
  }
  return null;
}

/** Bytes of a string after which a search by `indexOf` is faster than a check of each byte. */
const longText = 64;

/** Returns the index of the quote that ends a string, or the length of the JSON. */
function endOfText(json: Uint8Array, from: number): number {
  let plain = 0;
  for (let at = from; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === quote) return at;
    plain = byte === backslash ? 0 : plain + 1;
    if (byte === backslash) at += 1;
    else if (plain === longText) {
      const next = json.indexOf(quote!, at);
      if (next === -1) return json.length;
      at = firstEscape(json, next) - 1;
      plain = 0;
    }
  }
  return json.length;
}

/** Returns the index of the first of the backslashes directly before a quote; `quoteAt` if there is none. */
function firstEscape(json: Uint8Array, quoteAt: number): number {
  let first = quoteAt;
  while (json[first - 1] === backslash) first -= 1;
  return first;
}

function tableOf(steps: Readonly<Record<string, number>>): Int8Array {
  const table = new Int8Array(256);
  for (const [character, step] of Object.entries(steps)) table[character.charCodeAt(0)] = step;
  return table;
}

export function withBody({ method, url, headers, signal }: Request, bytes: Uint8Array): Request {
  const body = bytes.byteLength === 0 ? {} : { body: new Uint8Array(bytes) };
  return new Request(url, { method, headers, signal, ...body });
}
