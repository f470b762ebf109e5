// Puts other words in the place of some of a message's.
// Invariant: pure; all other parts stay as they are and in their order.
import type { ContentPart } from "../../message/message.ts";

export interface Reworded {
  readonly content: readonly ContentPart[];
  /** The words that were replaced. */
  readonly before: string;
}

/** The parts of which `wordsIn` finds words become the one given part. Null when there are none. */
export function reword(
  content: readonly ContentPart[],
  wordsIn: (part: ContentPart) => string,
  replacement: ContentPart,
): Reworded | null {
  const isMeant = (part: ContentPart): boolean => wordsIn(part).trim() !== "";
  const first = content.findIndex(isMeant);
  if (first < 0) return null;
  return {
    content: content.flatMap((part, at) => (at === first ? [replacement] : isMeant(part) ? [] : [part])),
    before: content.filter(isMeant).map(wordsIn).join(""),
  };
}

/** Finds the words of parts of these types. */
export function wordsOf(...types: readonly ("text" | "thought")[]): (part: ContentPart) => string {
  return (part) => ("text" in part && types.some((type) => part.type === type) ? part.text : "");
}
