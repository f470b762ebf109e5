// Replaces some of a message's text.
// Invariant: pure; all other parts keep their content and their order.
import type { ContentPart } from "../../base/message/message.ts";

export interface Reworded {
  readonly content: readonly ContentPart[];
  /** The replaced text. */
  readonly before: string;
}

/** Replaces all parts in which `wordsIn` finds text with the one part `replacement`. Returns null if there are none. */
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

/** Returns a function that reads the text of parts of these types. */
export function wordsOf(...types: readonly ("text" | "thought")[]): (part: ContentPart) => string {
  return (part) => ("text" in part && types.some((type) => part.type === type) ? part.text : "");
}
