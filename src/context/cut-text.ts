// Cuts texts by tokens.
// Invariant: no character is lost or split: surrogate pairs stay together, and the joined pieces equal the text.

/** Returns pieces of at most `maxTokens` each, in order. A single code point is never split, whatever its tokens. */
export function splitByTokens(text: string, maxTokens: number, count: (text: string) => number): readonly string[] {
  if (text === "") return [];
  const tokens = count(text);
  if (tokens <= maxTokens) return [text];
  // A first guess from the average with some slack: denser pieces are split again.
  const pieces = Math.max(2, Math.ceil((1.1 * tokens) / Math.max(1, maxTokens)));
  const length = Math.max(1, Math.ceil(text.length / pieces));
  const parts: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = boundary(text, start, start + length);
    parts.push(text.slice(start, end));
    start = end;
  }
  return parts.length === 1 ? parts : parts.flatMap((part) => splitByTokens(part, maxTokens, count));
}

/** Returns the longest prefix of at most `maxTokens`, to within a code point. */
export function takeTokens(text: string, maxTokens: number, count: (text: string) => number): string {
  if (count(text) <= maxTokens) return text;
  let fits = 0;
  let over = text.length;
  while (over - fits > 1) {
    const middle = Math.floor((fits + over) / 2);
    if (count(text.slice(0, boundary(text, 0, middle))) <= maxTokens) fits = middle;
    else over = middle;
  }
  return fits === 0 ? "" : text.slice(0, back(text, fits));
}

/** The end of a piece that starts at `start`: at least one code point, and not inside one. */
function boundary(text: string, start: number, end: number): number {
  const cut = back(text, Math.min(end, text.length));
  return cut > start ? cut : Math.min(text.length, end + 1);
}

function back(text: string, end: number): number {
  const isInside = /[\uD800-\uDBFF]/u.test(text.charAt(end - 1)) && /[\uDC00-\uDFFF]/u.test(text.charAt(end));
  return isInside ? end - 1 : end;
}
