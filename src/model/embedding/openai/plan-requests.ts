// Plans the requests to an embedding server: clips texts and groups them.
// Invariant: every text is sent, clipped at the window if it is longer, and no request exceeds a limit of the server.
import { codePointLength, storableText, takeCodePoints } from "../../../base/code-points.ts";

export interface RequestLimits {
  /** Maximum tokens of a text. */
  readonly windowTokens: number;
  /** Maximum texts and tokens of a request. */
  readonly requestTexts: number;
  readonly requestTokens: number;
  readonly countTokens: (text: string) => number;
}

/**
 * OpenAI's limits ("Create embeddings": 2,048 texts and 300,000 tokens); known limits of other servers are not lower.
 */
export const openaiRequest = { requestTexts: 2048, requestTokens: 300_000 } as const;

/** Returns the texts of each request, in order. */
export function planRequests(texts: readonly string[], limits: RequestLimits): readonly (readonly string[])[] {
  const clipped = texts.map((text) => clipText(text, limits));
  const sizes = sizesOf(clipped, limits);
  const requests: string[][] = [];
  let tokens = 0;
  for (const [index, text] of clipped.entries()) {
    const size = sizes[index] as number;
    const last = requests.at(-1);
    tokens += size;
    if (last !== undefined && last.length < limits.requestTexts && tokens <= limits.requestTokens) last.push(text);
    else {
      requests.push([text]);
      tokens = size;
    }
  }
  return requests;
}

/** Returns the prefix of the text that fits into the window, without lone surrogates and NUL. */
function clipText(text: string, { windowTokens, countTokens }: RequestLimits): string {
  // Every token has at least one byte, so most texts need no counting.
  if (text.length <= windowTokens && byteLength(text) <= windowTokens) return storableText(text);
  // Maximum characters of a token, in almost all texts: it bounds the work, whatever the length of the text.
  let fitting = storableText(takeCodePoints(text, windowTokens * 16));
  let length = codePointLength(fitting);
  for (let tokens = countTokens(fitting); tokens > windowTokens; tokens = countTokens(fitting)) {
    length = Math.min(length - 1, Math.floor((length * windowTokens) / tokens));
    fitting = takeCodePoints(fitting, length);
  }
  return fitting;
}

/** Returns tokens, or byte counts as an upper bound if their sum is small. */
function sizesOf(texts: readonly string[], { requestTokens, countTokens }: RequestLimits): readonly number[] {
  const bytes = texts.map(byteLength);
  const isSmall = bytes.reduce((sum, size) => sum + size, 0) <= requestTokens;
  return isSmall ? bytes : texts.map(countTokens);
}

function byteLength(text: string): number {
  return Buffer.byteLength(text, "utf8");
}
