// Settings of the reranker, which orders the best 50 hits of both searches anew. Off by default.
import { apiKey, httpUrl, nonBlank, orNull } from "./forms.ts";
import { setting } from "./setting.ts";

export const rerankingSettings = {
  /** The model: a name that the server knows, or `transformers/NAME` in `embeddingFolder`; null: hits are not reranked. */
  rerankModel: setting({
    ...orNull({ form: nonBlank, expected: "the name of a model" }),
    default: null,
    environment: ["PALIMPSEST_RERANK_MODEL"],
  }),
  /** The address of a `/rerank` endpoint; needed for models that are not in a folder. */
  rerankUrl: setting({ ...orNull(httpUrl), default: null, environment: ["PALIMPSEST_RERANK_URL"] }),
  /** Null: no key is sent. */
  rerankApiKey: setting({
    ...apiKey,
    default: null,
    environment: ["PALIMPSEST_RERANK_API_KEY"],
    isSecret: true,
  }),
};
