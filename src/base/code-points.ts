// Counts and cuts text by code points, and replaces what PostgreSQL and the providers cannot store.
// Invariant: no function ever splits a surrogate pair.

const pairs = /[\uD800-\uDBFF][\uDC00-\uDFFF]/g;

/** Returns the number of code points, as Python's len() does. The time is linear in the length of the text. */
export function codePointLength(text: string): number {
  return text.length - (text.match(pairs)?.length ?? 0);
}

/** Describes a text that an error must not quote: says that it is blank or has control characters, or how long it is. */
export function describeText(text: string): string {
  if (text.trim() === "") return "a blank text";
  return /\p{Cc}/u.test(text) ? "a text with control characters" : `${codePointLength(text)} characters`;
}

export function takeCodePoints(text: string, count: number): string {
  let taken = 0;
  let index = 0;
  while (index < text.length && taken < count) {
    const unit = text.charCodeAt(index);
    index += unit >= 0xd800 && unit <= 0xdbff && isLowSurrogate(text.charCodeAt(index + 1)) ? 2 : 1;
    taken += 1;
  }
  return text.slice(0, index);
}

/**
 * Returns the text as PostgreSQL and JSON over UTF-8 can store it: lone surrogates and NUL become U+FFFD. Well-formed
 * text is returned unchanged.
 */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll("\u0000", "\uFFFD");
}

/** Returns a value as JSON text that PostgreSQL can store: NUL and lone surrogates, also in keys, become U+FFFD. */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value);
  // JSON.stringify escapes NUL and each lone surrogate, but no surrogate pair, so it is enough to replace these escapes.
  if (!text.includes("\\u")) return text;
  return text.replaceAll(/\\(?:u0000|u[dD][89a-fA-F][0-9a-fA-F]{2}|.)/gu, (escape) =>
    /^\\u(?:0000|[dD])/u.test(escape) ? "\uFFFD" : escape,
  );
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
