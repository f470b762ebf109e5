// Adds the prefixes with which a model was trained: one before a query, another before a passage.
// Invariant: a text without a letter or digit gets no prefix, so that the adapter still recognizes it; the embedder's
// name changes with the passage prefix; an unknown model gets no prefix, because a wrong prefix is worse than none.
import { ConfigError } from "../../base/errors.ts";
import type { Embedder } from "./embedder.ts";

/** Prefixes from the settings, which override the model's known prefixes; null keeps the known prefix. */
export interface PrefixOptions {
  readonly query: string | null;
  readonly passage: string | null;
}

/**
 * Returns the embedder with its model's prefixes, which are looked up by the model's name. Throws ConfigError for a prefix that
 * takes more than half of the model's window.
 */
export function prefixTexts(embedder: Embedder, request: PrefixOptions): Embedder {
  const known = knownPrefixes(embedder.name);
  const prefixes: Prefixes = { query: request.query ?? known.query, passage: request.passage ?? known.passage };
  const isKnown = prefixes.passage === known.passage;
  return {
    ...embedder,
    ...(isKnown ? {} : { name: nameWith(embedder.name, prefixes.passage) }),
    ...sizesWithoutPrefixes(embedder, prefixes),
    embed: (texts, options = {}) => {
      const prefix = options.isQuery === true ? prefixes.query : prefixes.passage;
      const read = texts.map((text) => (hasWord.test(text) ? prefix + text : text));
      return embedder.embed(read, options);
    },
  };
}

const hasWord = /[\p{L}\p{N}]/u;

/** Returns the window that remains for a text after the prefix. Throws ConfigError if a prefix takes more than half. */
function sizesWithoutPrefixes(
  { name, windowTokens, countTokens }: Embedder,
  { query, passage }: Prefixes,
): Partial<Embedder> {
  if (windowTokens === undefined || countTokens === undefined) return {};
  // Counting may load a tokenizer, so an empty prefix is not counted.
  const [asked, tokens] = [query, passage].map((prefix) => (prefix === "" ? 0 : countTokens(prefix))) as [
    number,
    number,
  ];
  const max = Math.max(tokens, asked);
  if (max * 2 <= windowTokens) return { windowTokens: windowTokens - tokens };
  throw new ConfigError(
    `embeddingQueryPrefix, embeddingPassagePrefix: expected at most half of the ${windowTokens} tokens that ${name} reads, got a prefix of ${max} tokens. Shorten the prefix, or set embeddingWindow.`,
  );
}

/**
 * Returns the name that is stored with each vector, such as `openai/NAME|passage: `. Vectors with different passage
 * prefixes have different names and are never compared.
 */
function nameWith(name: string, passage: string): string {
  return `${name}|${JSON.stringify(passage).slice(1, -1)}`;
}

/** The prefix of each kind of text, including its final space or line break; "" for none. */
interface Prefixes {
  readonly query: string;
  readonly passage: string;
}

const none: Prefixes = { query: "", passage: "" };

/** The instruction for search, from the model cards of models that were trained with instructions. */
const instruction = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ";
const represent = { query: "Represent this sentence for searching relevant passages: ", passage: "" };

/**
 * The known prefixes, by a pattern of the model's name. Sources, all model cards on huggingface.co: intfloat/e5-small-v2
 * and intfloat/multilingual-e5-small ("Each input text should start with "query: " or "passage: ""),
 * intfloat/e5-mistral-7b-instruct and intfloat/multilingual-e5-large-instruct (instructions for queries only),
 * BAAI/bge-small-en-v1.5 and BAAI/bge-small-zh-v1.5 (an instruction for queries; BAAI/bge-m3 needs none),
 * mixedbread-ai/mxbai-embed-large-v1 (a prompt for queries), nomic-ai/nomic-embed-text-v1.5 (a task in every text).
 */
const known: readonly (readonly [RegExp, Prefixes])[] = [
  [/\be5-mistral-7b-instruct/iu, { query: instruction, passage: "" }],
  [/\be5-large-instruct/iu, { query: instruction, passage: "" }],
  [/\be5-(?:small|base|large)(?!-instruct)/iu, { query: "query: ", passage: "passage: " }],
  [/\bbge-(?:small|base|large)-en/iu, represent],
  [/\bbge-(?:small|base|large)-zh/iu, { query: "为这个句子生成表示以用于检索相关文章：", passage: "" }],
  [/\bmxbai-embed-large/iu, represent],
  [/\bnomic-embed-text/iu, { query: "search_query: ", passage: "search_document: " }],
];

/**
 * Returns the prefixes for a name such as `intfloat/e5-small-v2`, `Xenova/multilingual-e5-small` or
 * `nomic-embed-text:v1.5`.
 */
export function knownPrefixes(model: string): Prefixes {
  return known.find(([form]) => form.test(model))?.[1] ?? none;
}
