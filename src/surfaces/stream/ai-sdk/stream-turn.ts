// Converts a turn to a UI message stream: to chunks, or to a server's response that streams them.
// Invariant: a reader that disconnects does not stop the turn; a failure is a chunk of the stream.
import type { AgentEvent } from "../../../agent/events.ts";
import { createUiMessageEncoder, type UiEncodeOptions } from "./encode-turn.ts";
import type { UiMessageChunk } from "./ui-chunk.ts";

/** Headers of a response that the AI SDK's clients expect. */
export const uiMessageStreamHeaders: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  "x-accel-buffering": "no",
  "x-vercel-ai-ui-message-stream": "v1",
};

/** Yields the chunks of a turn. Throws the errors of `events`. */
export async function* uiMessageChunks(
  events: AsyncIterable<AgentEvent>,
  options: UiEncodeOptions = {},
): AsyncGenerator<UiMessageChunk, void> {
  const encoder = createUiMessageEncoder(options);
  for await (const event of events) yield* encoder.read(event);
  yield* encoder.end();
}

/** The data of a stream's last event, which is not JSON. */
const done = "[DONE]";

export interface UiResponseOptions extends UiEncodeOptions {
  /** Returns the text for the client about an error that `events` throws. Default: a sentence without the error's message. */
  readonly onError?: (error: unknown) => string;
}

/** Returns a response that streams the events of `agent.send`, `approve`, `events`, … as UI messages. */
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
