// The thread's end of what an embedder and its worker thread say to each other, whatever model is behind it.
// Invariant: requests are answered one after another, each by one reply; each text is embedded by itself.
import { parentPort } from "node:worker_threads";
import type { EmbedReply, EmbedRequest } from "./embed-protocol.ts";

export interface ThreadModel {
  readonly dimensions: number;
  /** A unit vector. What it throws is the reply. */
  readonly embed: (text: string) => Promise<ArrayLike<number>>;
}

/** To be called when the model is loaded: until then, requests wait. */
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
