// Notices the `[DONE]` that closes a Chat Completions stream, which the SDK swallows. It is the only thing that tells
// a whole answer without a finish reason from one that was cut.

export interface WatchedResponse {
  readonly response: Response;
  readonly isDone: () => boolean;
}

/** The same response, watched while it is read. */
export function watchForDone(response: Response): WatchedResponse {
  const decoder = new TextDecoder();
  // The first characters of the line that is being read: a marker inside a line is the model's own text.
  let lineStart = "";
  let done = false;
  const watch = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const lines = (lineStart + decoder.decode(chunk, { stream: true })).split("\n");
      done ||= lines.some((line) => /^data: ?\[DONE\]/.test(line));
      lineStart = (lines.at(-1) ?? "").slice(0, 16);
      controller.enqueue(chunk);
    },
  });
  const body = response.body?.pipeThrough(watch) ?? null;
  return { response: new Response(body, { headers: response.headers }), isDone: () => done };
}
