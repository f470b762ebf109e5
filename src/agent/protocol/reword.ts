// Replaces the text or the thoughts in the content of a message.
// Invariant: pure; all other parts keep their content and their order.
import type { ContentPart } from "../../base/message/message.ts";

export interface Reworded {
  readonly content: readonly ContentPart[];
  /** The replaced text. */
  readonly before: string;
}

/** Replaces all parts in which `wordsIn` finds text with the single part `replacement`. Returns null if it finds no text. */
export function reword(
  content: readonly ContentPart[],
  wordsIn: (part: ContentPart) => string,
  replacement: ContentPart,
): Reworded | null {
  const hasWords = (part: ContentPart): boolean => wordsIn(part).trim() !== "";
  const first = content.findIndex(hasWords);
  if (first < 0) return null;
  return {
    content: content.flatMap((part, at) => (at === first ? [replacement] : hasWords(part) ? [] : [part])),
    before: content.filter(hasWords).map(wordsIn).join(""),
  };
}

/** Returns a function that returns the text of a part if the part has one of these types, otherwise "". */
export function wordsOf(...types: readonly ("text" | "thought")[]): (part: ContentPart) => string {
  return (part) => ("text" in part && types.some((type) => part.type === type) ? part.text : "");
}
