// What stands in the source of a part of a reply for the beginning that was drawn with the part before.
// Invariant: the mark is never drawn, and no text of a model holds it.

/** A code point that Unicode keeps for use inside of a program. */
export const continuationMark = "\ufdd0";

/** The text without what could be taken for the mark. */
export function withoutMarks(text: string): string {
  return text.replaceAll(continuationMark, "\ufffd");
}

/** A list item that was begun before: nothing of it is drawn, and the items after it are counted on from its number. */
export function markedItem(number: number | null): string {
  return number === null ? continuationMark : `${continuationMark}${number}${continuationMark}`;
}

/** The number of a marked item; null where it has none. */
export function carriedNumber(text: string): number | null {
  const digits = carriedDigits.exec(text)?.[1];
  return digits === undefined ? null : Number(digits);
}

const carriedDigits = new RegExp(`^${continuationMark}(\\d{1,12})${continuationMark}`);
const carried = new RegExp(`${continuationMark}(?:\\d{1,12}${continuationMark})?\\n?`, "g");

/** The text without its marks and what belongs to them. */
export function afterMarks(text: string): string {
  return text.replaceAll(carried, "");
}
