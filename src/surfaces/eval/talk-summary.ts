// The talk reader's summarizer: keeps the user's statements that have a name or a number, or are about the user.
// Invariant: pure; a summary contains nothing that is not in the request.
import { isQuestion, sentencesIn } from "../../base/sentences.ts";

const maxWords = 200;

export function summaryOf(text: string): string {
  const said = text.split("\n").map((line) => line.replace(/^(?:Earlier summary|user\b.*?): /u, ""));
  const kept = said
    .filter((line) => !/^(?:assistant|tool|event|In the earlier summary|Replaced in core memory)\b/u.test(line))
    .flatMap((line) => sentencesIn(line))
    .map((sentence) => sentence.trim())
    .filter(isFact);
  return [...new Set(kept)].join(" ").split(" ").slice(0, maxWords).join(" ") || "Small talk.";
}

/** Returns whether a sentence is a statement about the user, or has a name or a number. */
export function isFact(sentence: string): boolean {
  if (isQuestion(sentence) || /^Please forget\b/u.test(sentence) || !/^\p{Lu}/u.test(sentence)) return false;
  return /^(?:I|My|We|Our|From now on)\b/u.test(sentence) || /\p{N}|\s\p{Lu}/u.test(sentence);
}
