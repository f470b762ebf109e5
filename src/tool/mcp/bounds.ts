// Limits what an MCP server can make this process store, wait for or show to a model. `boundedFetch` limits an HTTP answer.
import { ToolError } from "../../base/errors.ts";

export const bounds = {
  /** Maximum bytes of one message. */
  messageBytes: 32 * 1024 * 1024,
  /** Maximum bytes, and maximum lines, that a server may write between two answers. */
  unansweredBytes: 64 * 1024 * 1024,
  unansweredLines: 10_000,
  /** Maximum UTF-16 units of standard error that are kept. */
  errorText: 500,
  connectMs: 15_000,
  callMs: 60_000,
  sessionEndMs: 1000,
  /** Milliseconds for the user to answer a question. */
  questionMs: 30 * 60_000,
  /** Milliseconds for a user to sign in. */
  signInMs: 10 * 60_000,
  /** Time-out of one request to an authorization server, and maximum bytes of its answer. */
  authorizationMs: 10_000,
  authorizationBytes: 1024 * 1024,
  /** Milliseconds after which a lock on a sign-in file counts as abandoned: longer than a renewal of tokens takes. */
  lockMs: 30_000,
  longestMs: 2 ** 31 - 1,
  /** Milliseconds between two attempts to start a server: the first pause, and the longest. */
  backoffMs: { first: 1000, longest: 60_000 },
  /** Maximum pages of one list of a server. */
  pages: 64,
  /** Maximum resources of one server that are shown; the same maximum applies to prompts. */
  offers: 200,
  /** Maximum tools of one server. */
  tools: 128,
  /** Maximum UTF-16 units of a tool's description. */
  description: 4000,
  /** Maximum UTF-16 units of everything that a server states about one tool, as text. */
  definition: 30_000,
  /** Maximum UTF-16 units of the parameters of one tool, as JSON. */
  schema: 50_000,
} as const;

/** Returns `send` with a limit: reading an answer fails after `maxBytes`. */
export function boundedFetch(maxBytes: number, send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await send(input, init);
    if (response.body === null) return response;
    let length = 0;
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        length += chunk.byteLength;
        if (length > maxBytes) controller.error(new ToolError(`its answer has more than ${maxBytes} bytes`));
        else controller.enqueue(chunk);
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(counted), { status, statusText, headers });
  };
}
