// Prefixes with which some embedding models were trained, to distinguish queries from passages.
// Invariant: pure; an unknown model gets no prefix, because a wrong one is worse than none.

/** The prefix of each kind of text, including its final space or line break; "" for none. */
export interface Prefixes {
  readonly query: string;
  readonly passage: string;
}

const none: Prefixes = { query: "", passage: "" };

/** The task from the model cards of instructed models, for search. */
const instruction = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ";
const represent = { query: "Represent this sentence for searching relevant passages: ", passage: "" };

/**
 * Matched by a part of the model's name, which varies. Sources, all model cards on huggingface.co: intfloat/e5-small-v2
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
