// Splits a text into sentences, and recognizes questions, in scripts with Latin, Arabic or full-width punctuation.
// Invariant: pure; a line break ends a sentence. A full stop does not end a sentence within a number, a domain or a
// file name, nor after a number of one or two digits: "am 9. April".

const sentence =
  /[^.!?。！？؟\n]+(?:(?:\.(?=[\p{Ll}\p{N}])|(?<=(?<![\p{N}.:,])\p{N}{1,2})\.(?= \p{Lu}))[^.!?。！？؟\n]+)*[.!?。！？؟\n]*/gu;
const question = /[?？؟][!！]*\s*$/u;

/** Returns the sentences with their final punctuation and the white space around them. */
export function sentencesIn(text: string): readonly string[] {
  return text.match(sentence) ?? [];
}

/** Returns whether a sentence ends with a question mark, which exclamation marks may follow. */
export function isQuestion(text: string): boolean {
  return question.test(text);
}

/** Returns whether a text consists of questions only; a short greeting before them is ignored. */
export function onlyAsks(text: string): boolean {
  const sentences = sentencesIn(text).map((part) => part.trim());
  const isShort = (part: string): boolean => part.split(/\s+/u).length < 3 && /[a-z]/iu.test(part);
  const counted = sentences.filter((part) => isQuestion(part) || !isShort(part));
  return counted.length > 0 && counted.every(isQuestion);
}
