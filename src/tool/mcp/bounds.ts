// The most that an MCP server can make this process hold, wait or show to a model, and a `fetch` that keeps to it.
import { ToolError } from "../../base/errors.ts";

export const bounds = {
  /** Of one message, in bytes. */
  messageBytes: 32 * 1024 * 1024,
  /** Of everything that a server writes between two answers, in bytes. */
  unansweredBytes: 64 * 1024 * 1024,
  unansweredLines: 10_000,
  /** Of the standard error that is kept, in UTF-16 units. */
  errorText: 500,
  connectMs: 15_000,
  callMs: 60_000,
  sessionEndMs: 1000,
  /** For an answer to a question. */
  questionMs: 30 * 60_000,
  /** For a user to sign in. */
  signInMs: 10 * 60_000,
  /** Of one request to an authorization server, and of its answer. */
  authorizationMs: 10_000,
  authorizationBytes: 1024 * 1024,
  /** More than a renewal of tokens takes. */
  lockMs: 30_000,
  longestMs: 2 ** 31 - 1,
  /** Pauses between two attempts to start a server, from the first to the longest. */
  backoffMs: { first: 1000, longest: 60_000 },
  /** Of one list of a server. */
  pages: 64,
  /** Resources of one server that are shown, and prompts. */
  offers: 200,
  /** Tools of one server. */
  tools: 128,
  /** In UTF-16 units. */
  description: 4000,
  /** Of the text of a definition, in UTF-16 units. */
  definition: 30_000,
  /** Of the parameters of one tool, as JSON, in UTF-16 units. */
  schema: 50_000,
} as const;

/** Returns `send`, with answers that fail beyond `maxBytes`. */
export function boundedFetch(maxBytes: number, send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await send(input, init);
    if (response.body === null) return response;
    let length = 0;
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        length += chunk.byteLength;
        if (length > maxBytes) controller.error(new ToolError("it sent too much in one answer"));
        else controller.enqueue(chunk);
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(counted), { status, statusText, headers });
  };
}
