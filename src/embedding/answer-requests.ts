// The worker thread's side of the protocol between an embedder and its thread, for any model.
// Invariant: requests are answered in order, each by one reply; each text is embedded separately.
import { parentPort } from "node:worker_threads";
import type { EmbedReply, EmbedRequest } from "./embed-protocol.ts";

export interface ThreadModel {
  readonly dimensions: number;
  /** Returns a unit vector. An error that it throws is sent as the reply. */
  readonly embed: (text: string) => Promise<ArrayLike<number>>;
}

/** Call when the model is loaded: until then, requests wait. */
export function answerRequests(model: ThreadModel): void {
  let previous = Promise.resolve();
  parentPort?.on("message", (request: EmbedRequest) => {
    previous = previous.then(async () => {
      const reply = await replyTo(request, model);
      parentPort?.postMessage(reply, "vectors" in reply ? [reply.vectors.buffer] : []);
    });
  });
}

async function replyTo({ id, texts }: EmbedRequest, { dimensions, embed }: ThreadModel): Promise<EmbedReply> {
  try {
    const vectors = new Float32Array(texts.length * dimensions);
    for (const [index, text] of texts.entries()) vectors.set(await embed(text), index * dimensions);
    return { id, vectors };
  } catch (error) {
    return { id, error: error instanceof Error ? error : String(error) };
  }
}
