// Builds the text of a message for its vector: the message's text, its speaker, and the question that it answers.
// Invariant: the cost does not grow with the length of the previous message.
import { isQuestion, sentencesIn } from "../../base/sentences.ts";
import type { MessageToEmbed } from "../../store/port/recall-store.ts";

// Characters of the previous message: embedders read a few hundred words, most of which should be the message's own.
const readOfPrevious = 600;

/**
 * Returns the text to embed, such as "Where do you live? Ada: In Lisbon.": an answer seldom repeats the words of its question.
 */
export function textToEmbed({ text, speaker, previous }: Omit<MessageToEmbed, "id">): string {
  const questions = previous === null ? [] : sentencesIn(previous.slice(-readOfPrevious)).filter(isQuestion);
  return [...questions.map((one) => one.trim()), speaker === null ? text : `${speaker}: ${text}`].join(" ");
}
