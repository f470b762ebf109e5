// Cuts texts to a number of tokens.
// Invariant: no surrogate pair is split; where a middle is omitted, a note says so.
import { codePointLength } from "../base/code-points.ts";

/** Returns the longest prefix, in whole code points, that has at most `maxTokens`. */
export function takeTokens(text: string, maxTokens: number, count: (text: string) => number): string {
  if (count(text) <= maxTokens) return text;
  let fits = 0;
  let over = text.length;
  while (over - fits > 1) {
    const middle = Math.floor((fits + over) / 2);
    if (count(text.slice(0, back(text, middle))) <= maxTokens) fits = middle;
    else over = middle;
  }
  return fits === 0 ? "" : text.slice(0, back(text, fits));
}

export interface MiddleCut {
  /** The tokens of the text, which may be estimated. */
  readonly tokens: number;
  readonly maxTokens: number;
  readonly count: (text: string) => number;
}

/** Returns the text; if it is too long, a note that says how much is omitted replaces its middle. */
export function cutMiddle(text: string, { tokens, maxTokens, count }: MiddleCut): string {
  if (tokens <= maxTokens) return text;
  let kept = Math.floor((text.length * maxTokens) / tokens);
  for (;;) {
    const head = text.slice(0, back(text, Math.ceil(kept / 2)));
    const tail = text.slice(back(text, text.length - Math.floor(kept / 2)));
    const left = codePointLength(text) - codePointLength(head) - codePointLength(tail);
    const cut = `${head} [… ${left} characters are left out here …] ${tail}`;
    if (kept === 0 || count(cut) <= maxTokens) return cut;
    kept = Math.floor(kept * 0.9);
  }
}

function back(text: string, end: number): number {
  const isInside = /[\uD800-\uDBFF]/u.test(text.charAt(end - 1)) && /[\uDC00-\uDFFF]/u.test(text.charAt(end));
  return isInside ? end - 1 : end;
}
