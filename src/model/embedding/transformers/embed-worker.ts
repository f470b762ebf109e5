// The thread that runs a model of `@huggingface/transformers`: loads it once, then answers requests.
// Invariant: the thread reads only the model's folder, and embeds each text alone, so that a vector does not depend on
// other texts.
import { workerData } from "node:worker_threads";
import { answerRequests, loadTransformers } from "../answer-requests.ts";
import { unknownTextVector } from "../unknown-text-vector.ts";
import type { EncoderSettings } from "./transformers-embedder.ts";

/** The used parts of `@huggingface/transformers`, declared here because the optional package may not be installed. */
interface Library {
  readonly env: Record<string, unknown>;
  readonly AutoTokenizer: { from_pretrained(name: string, options: object): Promise<Tokenizer> };
  readonly AutoModel: { from_pretrained(name: string, options: object): Promise<EncoderModel> };
}

type Tokenizer = (text: string, options: object) => Tokens | Promise<Tokens>;
type EncoderModel = (tokens: Tokens) => Promise<Record<string, Tensor | undefined>>;

interface Tokens {
  readonly input_ids: Pick<Tensor, "dims">;
}

interface Tensor {
  readonly dims: readonly number[];
  readonly data: ArrayLike<number>;
}

const settings = workerData as EncoderSettings;
const { dimensions, windowTokens, pooling, dtype } = settings;

const library = await loadTransformers<Library>(settings);
const tokenizer = await library.AutoTokenizer.from_pretrained(settings.model, { local_files_only: true });
const model = await library.AutoModel.from_pretrained(settings.model, { local_files_only: true, dtype, device: "cpu" });

const frame = lengthOf(await tokensOf(""));

answerRequests({ dimensions, embed });

/** Returns a vector of length 1. Models exported with pooling return the text's vector themselves. */
async function embed(text: string): Promise<ArrayLike<number>> {
  const encoded = await tokensOf(text);
  // The text has only the special tokens that surround every text: the model would give all such texts the same vector.
  if (lengthOf(encoded) <= frame) return unknownTextVector(text, dimensions);
  const outputs = await model(encoded);
  const pooled = outputs["sentence_embedding"];
  const tokens = outputs["last_hidden_state"] ?? outputs["token_embeddings"];
  if (pooled !== undefined) return unit(Array.from(pooled.data));
  if (tokens === undefined) {
    throw new TypeError(
      `The model is not an embedding model: it has no output last_hidden_state (its outputs: ${Object.keys(outputs).join(", ") || "none"}).`,
    );
  }
  return unit(pool(tokens));
}

async function tokensOf(text: string): Promise<Tokens> {
  return await tokenizer(text, { truncation: true, max_length: windowTokens });
}

function lengthOf({ input_ids: ids }: Tokens): number {
  return ids.dims.at(-1) ?? 0;
}

/** Returns the first token's vector (`cls`), or the sum of the tokens' vectors, which has the direction of their mean. */
function pool({ data, dims }: Tensor): readonly number[] {
  const count = pooling === "cls" ? 1 : (dims[1] ?? 0);
  return Array.from({ length: dimensions }, (_, place) => {
    let sum = 0;
    for (let token = 0; token < count; token += 1) sum += data[token * dimensions + place] ?? Number.NaN;
    return sum;
  });
}

function unit(vector: readonly number[]): readonly number[] {
  const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / norm);
}
