// Defines the settings of the searches for each input (in the buffer, working memory and archival memory), and of the reranker.
// All are off by default.
import { embedderName } from "./embedding-settings.ts";
import { apiKey, httpUrl, nonBlank, oneOf, orNull, positive, wholeNumber } from "./forms.ts";
import { flag, setting, type ValuesOf } from "./setting.ts";

export const retrievalSettings = {
  /**
   * Whether working memory is searched for each input: recent tool results and user messages, which the process keeps up to a
   * size limit. `refilled`: after a restart, the texts of the conversation are loaded from the store.
   */
  workingMemory: setting({
    ...oneOf("off", "process", "refilled"),
    default: "off",
    flag: flag("lookup", "working-memory", "WHEN", "process or refilled: look up recent texts (default {default})"),
  }),
  /** Maximum size of working memory per agent, in millions of bytes. */
  workingMemoryMegabytes: setting({
    form: (zod) => zod.number().min(1).max(10_000),
    expected: "a number from 1 to 10000, in megabytes",
    default: 10,
  }),
  /** Minutes between two clean-ups of working memory. */
  workingMemoryMinutes: setting({
    form: positive(1440),
    expected: "a number of minutes over 0 and at most 1440",
    default: 5,
  }),
  /** `on`: archival memory is searched for each input. */
  queryPlanner: setting({
    ...oneOf("off", "on"),
    default: "off",
    flag: flag("lookup", "query-planner", "WHEN", "on: also search the archive for each message (default {default})"),
  }),
  /** Maximum tokens of the items that are retrieved for a message. */
  plannerTokens: setting({
    ...wholeNumber(1),
    default: 4000,
    flag: flag("lookup", "planner-tokens", "N", "tokens of retrieved items per message (default {default})"),
  }),
};

export const rerankingSettings = {
  /** The reranker: a model of the server `rerankUrl`, or `transformers/NAME` in `embeddingFolder`; null: no reranking. */
  rerankModel: setting({
    ...orNull({ form: nonBlank, expected: "the name of a model" }),
    default: null,
    environment: ["PALIMPSEST_RERANK_MODEL"],
  }),
  /** URL of a `/rerank` endpoint; required unless the model is in `embeddingFolder`. */
  rerankUrl: setting({ ...orNull(httpUrl), default: null, environment: ["PALIMPSEST_RERANK_URL"] }),
  /** The API key for `rerankUrl`; null: no key is sent. */
  rerankApiKey: setting({ ...apiKey, default: null, environment: ["PALIMPSEST_RERANK_API_KEY"], isSecret: true }),
};

export type BufferConfig = ValuesOf<typeof bufferSettings>;

/** Settings of the message buffer. The default sizes are those of MUXI. */
export const bufferSettings = {
  /** Maximum number of messages in the buffer. */
  bufferSize: setting({ ...wholeNumber(1), default: 50 }),
  /** A program's buffer keeps at most `bufferSize × bufferMultiplier` summaries of messages that left it. */
  bufferMultiplier: setting({ ...wholeNumber(1), default: 10 }),
  /** How the buffer is searched: not at all, by words, or by meaning if an embedder exists. */
  bufferSearch: setting({ ...oneOf("off", "words", "meaning"), default: "off" }),
  /** The embedder of the buffer's messages, in the format of `embedding`; null: the embedder of archival memory. */
  bufferEmbedding: setting({ ...orNull(embedderName), default: null }),
};
