// This mark replaces source that was drawn with an earlier part of a streamed reply, so that it is not drawn again.
// Invariant: the mark is never drawn, and no text of a model contains it.

/** A noncharacter, which Unicode reserves for internal use. */
export const continuationMark = "\ufdd0";

/** Replaces the mark in a text by U+FFFD. */
export function withoutMarks(text: string): string {
  return text.replaceAll(continuationMark, "\ufffd");
}

/** Returns the mark of a list item that an earlier part has drawn. `number` is null in an unordered list. */
export function markedItem(number: number | null): string {
  return number === null ? continuationMark : `${continuationMark}${number}${continuationMark}`;
}

/** Returns the number in the mark of a list item; null if it has none. */
export function carriedNumber(text: string): number | null {
  const digits = carriedDigits.exec(text)?.[1];
  return digits === undefined ? null : Number(digits);
}

const carriedDigits = new RegExp(`^${continuationMark}(\\d{1,12})${continuationMark}`);
const carried = new RegExp(`${continuationMark}(?:\\d{1,12}${continuationMark})?\\n?`, "g");

/** Returns the text without marks and their numbers. */
export function afterMarks(text: string): string {
  return text.replaceAll(carried, "");
}
