// Reads the body of a request: as bytes, as JSON, or as a form.
// Invariant: a body beyond a limit is refused before it is in memory, and nested JSON before anything walks through it.
import { exceededLimit } from "../../base/json-limits.ts";
import { clientLeft, Fault } from "./fault.ts";
import type { Route } from "./route.ts";
import type { Share } from "./user-shares.ts";

export interface BodyLimits {
  /** Maximum bytes of one body. */
  readonly bytes: number;
  readonly share: Pick<Share, "take" | "pace">;
}

/** Deeper than any document that people make, and no problem for functions that call themselves. */
const maxNesting = 200;

/** Many more than any page of results has; as many take the event loop a tenth of a second. */
const maxValues = 500_000;

/** Throws Fault `body_too_large` and `rate_limited` without reading on, and `client_left`. */
export async function readBody(request: Request, { bytes, share }: BodyLimits): Promise<Uint8Array> {
  const tooLarge = (): Fault => {
    return new Fault(413, "body_too_large", `The body is longer than ${bytes} bytes. Send less at once.`);
  };
  const announced = Number(request.headers.get("content-length") ?? 0);
  if (announced > bytes) throw tooLarge();
  share.take(announced);
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunksOf(request, request.body)) {
    length += chunk.byteLength;
    if (length > bytes) throw tooLarge();
    if (announced === 0) share.take(chunk.byteLength);
    chunks.push(chunk);
    await share.pace(chunk.byteLength);
  }
  return Buffer.concat(chunks);
}

async function* chunksOf({ signal }: Request, body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  try {
    yield* body as unknown as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw signal.aborted ? clientLeft(error) : error;
  }
}

/** Reads a body; the returned function parses it. Throws Fault as `readBody`, the function `request_invalid`. */
export async function readContent(
  request: Request,
  limits: BodyLimits,
  { isForm }: Pick<Route, "isForm">,
): Promise<() => unknown> {
  const bytes = await readBody(request, limits);
  return () => (isForm === true ? parsedForm(bytes, request.headers.get("content-type")) : parsedJson(bytes));
}

function parsedJson(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) return {};
  requireSimple(bytes);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw invalidBody("The body is not JSON in UTF-8.", "Expected JSON in UTF-8.", error);
  }
}

/** Throws Fault `request_invalid` for JSON that is nested too deeply or has too many values. */
export function requireSimple(json: Uint8Array): void {
  const exceeded = exceededLimit(json, { nesting: maxNesting, values: maxValues });
  if (exceeded === "nesting") {
    const expected = `Expected lists and objects that are nested at most ${maxNesting} times.`;
    throw invalidBody("The body is nested too deeply.", expected);
  }
  if (exceeded === "values")
    throw invalidBody("The body has more than 500,000 values.", "Expected at most 500,000 values: send fewer at once.");
}

/** Of a field that is repeated, the last one counts. */
async function parsedForm(bytes: Uint8Array, contentType: string | null): Promise<unknown> {
  try {
    const form = await new Response(new Uint8Array(bytes), {
      headers: { "content-type": contentType ?? "" },
    }).formData();
    return Object.fromEntries(form);
  } catch (error) {
    throw invalidBody("The body is not a form.", "Expected multipart/form-data.", error);
  }
}

function invalidBody(message: string, expected: string, cause?: unknown): Fault {
  return new Fault(400, "request_invalid", message, { fields: [{ field: "body", message: expected }], cause });
}
