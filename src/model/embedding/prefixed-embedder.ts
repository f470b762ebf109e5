// Adds the prefixes that a model needs: one before a query, another before a passage.
// Invariant: a text without a letter or digit gets no prefix, so that the adapter still recognizes it; another passage
// prefix gives the vectors another name.
import { ConfigError } from "../../base/errors.ts";
import type { Embedder } from "./embedder.ts";
import { knownPrefixes, type Prefixes } from "./known-prefixes.ts";

/** Prefixes from the settings, which override the known ones; null keeps those. */
export interface PrefixOptions {
  readonly query: string | null;
  readonly passage: string | null;
}

/**
 * Returns the embedder with its model's prefixes, which are known by name. Throws ConfigError for a prefix that takes
 * more than half of the model's window.
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

/** Tokens of the window that the prefix leaves for a passage. */
function sizesWithoutPrefixes(
  { name, windowTokens, countTokens }: Embedder,
  { query, passage }: Prefixes,
): Partial<Embedder> {
  if (windowTokens === undefined || countTokens === undefined) return {};
  // Counting may load a tokenizer, which a model without prefixes should not pay for.
  const [asked, tokens] = [query, passage].map((prefix) => (prefix === "" ? 0 : countTokens(prefix))) as [
    number,
    number,
  ];
  const max = Math.max(tokens, asked);
  if (max * 2 <= windowTokens) return { windowTokens: windowTokens - tokens };
  throw new ConfigError(
    `embeddingQueryPrefix, embeddingPassagePrefix: expected at most half of the ${windowTokens} tokens that ${name} reads, got ${max}. Shorten the prefix, or set embeddingWindow.`,
  );
}

/**
 * Returns `openai/NAME|passage: `, the name stored with each vector, so that vectors with different prefixes are never
 * compared.
 */
function nameWith(name: string, passage: string): string {
  return `${name}|${JSON.stringify(passage).slice(1, -1)}`;
}
