// The texts by which copies of removed messages and passages are found: in replies, results of tools, modules, forks.
// Invariant: pure; a text that many messages share, such as "yes, please", is no copy.
import { sentencesIn } from "../../base/sentences.ts";

/** Code points from which a message's text is taken as its own. */
const minMessage = 16;
/** Code points from which a sentence or a line of it is. */
const minSentence = 24;

/** The whole text, and each of its sentences and lines: results of searches show only a part of a long text. */
export function copiesOfMessage(text: string): readonly string[] {
  const sentences = sentencesIn(text).map((found) => found.trim());
  return [
    ...[text.trim()].filter((whole) => [...whole].length >= minMessage),
    ...sentences.filter((one) => [...one].length >= minSentence),
  ];
}

/** A passage was written to be kept, so that its whole text counts however short it is. */
export function copiesOfPassage(text: string): readonly string[] {
  return [text.trim(), ...copiesOfMessage(text)].filter((copy) => copy !== "");
}
