// Centres the vectors of an embedder whose cosines are not known: many models give unrelated texts cosines of 0.7 and more, because
// all their vectors share a direction. What is shared is learned from a sample at the first use, and subtracted.
// Invariant: centred vectors have another name than the model's own; a text that the model does not know keeps its vector.
import { untilAborted } from "../../base/until-aborted.ts";
import { EmbeddingError } from "../../base/errors.ts";
import { embedApart } from "./embed-apart.ts";
import type { Embedder, LearnedEmbedder, Vector } from "./embedder.ts";
import { isUnknownTextVector } from "./unknown-text-vector.ts";
import { centred, learnScale, type Scale } from "./learn-scale.ts";
import { samplePairs } from "./sample-pairs.ts";

/** The end of the name of centred vectors. */
export const centredSuffix = "|centred";

/**
 * Returns the embedder with centred vectors and a learned floor. The sample is embedded with
 * the first text. Throws EmbeddingError `embedding_failed` if the model refuses too much of the sample.
 */
export function centreVectors(embedder: Embedder): LearnedEmbedder {
  let learning: Promise<Scale> | null = null;

  /** A failure is not cached: the next call tries again. */
  async function scale(): Promise<Scale> {
    learning ??= learn(embedder);
    try {
      return await learning;
    } catch (error) {
      learning = null;
      throw error;
    }
  }

  return {
    ...embedder,
    name: `${embedder.name}${centredSuffix}`,
    async learnedFloor() {
      return (await scale()).floor;
    },
    async embed(texts, options = {}) {
      const { signal, isQuery = false } = options;
      const { queryCentre, passageCentre } = await (signal === undefined ? scale() : untilAborted(scale(), signal));
      const vectors = await embedder.embed(texts, options);
      return vectors.map((vector) => moved(vector, isQuery ? queryCentre : passageCentre));
    },
  };
}

/** Vectors of unknown texts are near to nothing: minus the centre they would be near to each other. */
function moved(vector: Vector, centre: readonly number[]): Vector {
  return vector === null || isUnknownTextVector(vector) ? vector : centred(vector, centre);
}

/** Not aborted by a caller, because others wait for it too. */
async function learn(embedder: Embedder): Promise<Scale> {
  const { signal } = new AbortController();
  const [questions, answers] = await Promise.all([
    embedApart(
      embedder,
      samplePairs.map(({ question }) => question),
      { isQuery: true, signal },
    ),
    embedApart(
      embedder,
      samplePairs.map(({ answer }) => answer),
      { isQuery: false, signal },
    ),
  ]);
  const pairs = samplePairs.flatMap(({ language }, place) => {
    const [question = null, answer = null] = [questions[place], answers[place]];
    return question === null || answer === null ? [] : [{ language, question, answer }];
  });
  if (pairs.length * 2 > samplePairs.length) return learnScale(pairs);
  throw new EmbeddingError(
    "embedding_failed",
    `${embedder.name} refuses ${samplePairs.length - pairs.length} of ${samplePairs.length} pairs of the sample from which the scale of its cosines is learned. Set \`embeddingFloor\`.`,
  );
}
