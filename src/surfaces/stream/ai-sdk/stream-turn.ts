// A turn as a UI message stream: its chunks, and a response of a server that streams them.
// Invariant: a reader that leaves does not stop the turn; a failure is a chunk of the stream.
import type { AgentEvent } from "../../../agent/events.ts";
import { createUiMessageEncoder, type UiEncodeOptions } from "./encode-turn.ts";
import type { UiMessageChunk } from "./ui-chunk.ts";

/** What the AI SDK's clients expect of a response. */
export const uiMessageStreamHeaders: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  "x-accel-buffering": "no",
  "x-vercel-ai-ui-message-stream": "v1",
};

/** Yields the chunks of a turn. Throws what the events throw. */
export async function* uiMessageChunks(
  events: AsyncIterable<AgentEvent>,
  options: UiEncodeOptions = {},
): AsyncGenerator<UiMessageChunk, void> {
  const encoder = createUiMessageEncoder(options);
  for await (const event of events) yield* encoder.read(event);
  yield* encoder.end();
}

/** The end of a stream, which is no JSON. */
const done = "[DONE]";

export interface UiResponseOptions extends UiEncodeOptions {
  /** Returns what the client is told about a failure that is not a turn's own. Default: a sentence without its message. */
  readonly onError?: (error: unknown) => string;
}

/** Returns a response with the events of `agent.send`, `approve`, `events`, … as a UI message stream. */
export function uiMessageResponse(
  events: AsyncIterable<AgentEvent>,
  { onError = () => "The server failed.", ...options }: UiResponseOptions = {},
): Response {
  const encoder = new TextEncoder();
  const chunks = uiMessageChunks(events, options);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const send = (text: string): void => controller.enqueue(encoder.encode(`data: ${text}\n\n`));
      try {
        const { value, done: isOver } = await chunks.next();
        if (isOver !== true) {
          send(JSON.stringify(value));
          return;
        }
      } catch (error) {
        send(JSON.stringify({ type: "error", errorText: onError(error) } satisfies UiMessageChunk));
      }
      send(done);
      controller.close();
    },
    async cancel() {
      await chunks.return();
    },
  });
  return new Response(body, { headers: uiMessageStreamHeaders });
}
