// Calls a reranker over HTTP, in the form that Cohere, Jina, Voyage, vLLM and text-embeddings-inference share:
// `{model, query, documents, top_n}` returns `{results: [{index, relevance_score}]}`.
// Invariant: the key is sent to the configured address only, and appears in no error.
import { smallest } from "../../base/lists.ts";
import * as z from "zod";
import { takeCodePoints } from "../../base/code-points.ts";
import { EmbeddingError } from "../../base/errors.ts";
import type { Reranker } from "./reranker.ts";

export interface HttpRerankerOptions {
  /** The whole address, such as `https://…/v1/rerank`. */
  readonly url: string;
  readonly model: string;
  /** Null for servers that require no key. */
  readonly apiKey: string | null;
  readonly fetch?: typeof globalThis.fetch;
}

/** Maximum characters of a text that are sent: rerankers read a few hundred words. */
const maxTextLength = 4000;

const replyShape = z.looseObject({
  results: z.array(z.looseObject({ index: z.number().int(), relevance_score: z.number() })),
});

export function createHttpReranker({ url, model, apiKey, fetch = globalThis.fetch }: HttpRerankerOptions): Reranker {
  const authorization = apiKey === null ? {} : { authorization: `Bearer ${apiKey}` };
  return {
    name: `http/${model}`,
    async score(query, texts, { signal }) {
      const documents = texts.map((text) => takeCodePoints(text, maxTextLength));
      const reply = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", ...authorization },
        body: JSON.stringify({ model, query, documents, top_n: documents.length }),
        redirect: "error",
        signal,
      });
      if (!reply.ok)
        throw new EmbeddingError("embedding_failed", `The reranking server replied with status ${reply.status}.`);
      return scoresIn(await reply.json(), texts.length);
    },
    close: async () => undefined,
  };
}

/**
 * Returns the scores in a reply. A text without a score gets a lower score than all others. Throws EmbeddingError
 * `embedding_failed`.
 */
function scoresIn(reply: unknown, count: number): readonly number[] {
  const parsed = replyShape.safeParse(reply);
  if (!parsed.success) {
    throw new EmbeddingError(
      "embedding_failed",
      "Expected `results` with `index` and `relevance_score` in the reply of the reranking server, got another form.",
    );
  }
  const { results } = parsed.data;
  const lowest =
    smallest(
      results.map(({ relevance_score: score }) => score),
      0,
    ) - 1;
  const scores = Array.from({ length: count }, () => lowest);
  for (const { index, relevance_score: score } of results) {
    if (index < 0 || index >= count) {
      throw new EmbeddingError(
        "embedding_failed",
        `Expected an index below ${count} in the reply of the reranking server, got ${index}.`,
      );
    }
    scores[index] = score;
  }
  return scores;
}
