// What a message's vector is made of: its words, who said them, and the question that they answer.
// Invariant: the cost does not grow with the message before it.
import type { MessageToEmbed } from "../recall-store.ts";

// Of the message before, in characters: embedders read some hundred words, most of which are to be the message's own.
const readOfPrevious = 600;
const question = /[^.!?。！？؟\n]*[?？؟]/gu;

/** "Where do you live? Ada: In Lisbon." An answer seldom repeats the words of its question. */
export function textToEmbed({ text, speaker, previous }: Omit<MessageToEmbed, "id">): string {
  const asked =
    previous === null ? [] : [...previous.slice(-readOfPrevious).matchAll(question)].map(([found]) => found.trim());
  const said = speaker === null ? text : `${speaker}: ${text}`;
  return [...asked, said].join(" ");
}
