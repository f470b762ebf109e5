// An embedder whose model wants something before each text: one thing before a query, another before what is to be found.
// Invariant: a text without a letter or digit goes as it is, so that what the adapter does about it still holds; vectors of
// another prefix for passages have another name.
import { ConfigError } from "../errors.ts";
import type { Embedder } from "./embedder.ts";
import { knownPrefixes, type Prefixes } from "./known-prefixes.ts";

/** What a person has set in place of what is known of the model; null leaves that. */
export interface PrefixOptions {
  readonly query: string | null;
  readonly passage: string | null;
}

/**
 * The embedder with the prefixes of its model, which is known by its name. Throws ConfigError for a prefix that takes more than
 * half of the model's window.
 */
export function prefixTexts(embedder: Embedder, request: PrefixOptions): Embedder {
  const known = knownPrefixes(embedder.name);
  const prefixes: Prefixes = { query: request.query ?? known.query, passage: request.passage ?? known.passage };
  const isKnown = prefixes.passage === known.passage;
  return {
    ...embedder,
    ...(isKnown ? {} : { name: nameWith(embedder.name, prefixes.passage) }),
    ...roomBeside(embedder, prefixes),
    embed: (texts, options = {}) => {
      const prefix = options.isQuery === true ? prefixes.query : prefixes.passage;
      const read = texts.map((text) => (hasWord.test(text) ? prefix + text : text));
      return embedder.embed(read, options);
    },
  };
}

const hasWord = /[\p{L}\p{N}]/u;

/** What the prefix leaves of the window for a passage. */
function roomBeside({ name, windowTokens, countTokens }: Embedder, { query, passage }: Prefixes): Partial<Embedder> {
  if (windowTokens === undefined || countTokens === undefined) return {};
  // Counting the first text may load a tokenizer, which a model without prefixes should not pay for.
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

/** `openai/NAME|passage: `: stored beside each vector, so that two ways to make them never meet. */
function nameWith(name: string, passage: string): string {
  return `${name}|${JSON.stringify(passage).slice(1, -1)}`;
}
