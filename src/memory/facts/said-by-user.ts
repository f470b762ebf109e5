// Tells text that the user said from text that came into a conversation in any other way. Reasons: ADR 10.
// Invariant: pure; a sentence was said only if one message of the user states all its words that mean something, and denies it
// if the sentence does; when in doubt it was not.
import { isQuestion, sentencesIn } from "../../base/sentences.ts";
import { stopWords } from "../../base/stop-words.ts";
import { isSameWord, wordsIn } from "./stated-facts.ts";

/** A longer text is a copy of something, not what the user told. In UTF-16 code units. */
const maxLength = 4000;

/** Returns whether the user's messages say every sentence of a text, and it has one. */
export function saidIn(messages: readonly string[]): (text: string) => boolean {
  let read: readonly (readonly Statement[])[] | null = null;
  return (text) => {
    const sentences = sentencesIn(text.replace(frame, "")).filter((sentence) => wordsIn(sentence).length > 0);
    if (sentences.length === 0 || text.length > maxLength) return false;
    const said = (read ??= messages.map(statementsOf));
    return sentences.every((sentence) => {
      const wanted = wordsIn(sentence).filter((word) => !stopWords.has(word) && !neutral.has(word));
      return wanted.length > 0 && said.some((statements) => isStatedIn(statements, { sentence, wanted }));
    });
  };
}

/** What a line has before its fact: the mark of a list, or whose words they are. */
const frame = /^[ \t]*(?:[-*•]|\d+[.)])?[ \t]*(?:(?:the )?user (?:said|says|stated)\b)?/gimu;

// Words with which a note names its subject. None of them says what the user wants, likes, owns or owes.
const neutral = new Set(
  "user users person human name named called age aged old year years job occupation profession work works working live lives living based location fact note".split(
    " ",
  ),
);

interface Statement {
  readonly text: string;
  readonly words: readonly string[];
}

/** Returns the sentences of a message in which the user states something: not what the user asks, or quotes from a mail. */
function statementsOf(message: string): readonly Statement[] {
  return sentencesIn(message.replace(/^[ \t]*>.*$/gmu, ""))
    .filter((text) => !isQuestion(text) || wish.test(text))
    .map((text) => ({ text, words: [...new Set(wordsIn(text))] }));
}

/** A question only in its form: "Can you note that I sail?" */
const wish =
  /^\s*(?:please,?\s+)?(?:can|could|will|would)\s+you\s+(?:please\s+)?(?:remember|note|save|store|keep|add)\b/iu;

interface WantedSentence {
  readonly sentence: string;
  readonly wanted: readonly string[];
}

function isStatedIn(statements: readonly Statement[], { sentence, wanted }: WantedSentence): boolean {
  const used = statements.filter(({ words }) => wanted.some((word) => isAmong(word, words)));
  if (!wanted.every((word) => used.some(({ words }) => isAmong(word, words)))) return false;
  if (used.some(({ text }) => denies(text)) !== denies(sentence)) return false;
  return hedge.test(sentence) || !used.some(({ text }) => hedge.test(text));
}

function isAmong(word: string, words: readonly string[]): boolean {
  return words.some((other) => other === word || isFormOf(word, other));
}

/** Whether two words differ in their ending alone. Numbers have no forms, nor have words of scripts without spaces. */
function isFormOf(one: string, other: string): boolean {
  if (one[0] !== other[0] || !inflected.test(one) || !inflected.test(other)) return false;
  return isSameWord(one, other) || `${one}s` === other || `${other}s` === one;
}

const inflected = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{M}]+$/u;

/** Makes of a statement something else: its condition, or what another one says. */
const hedge = /\b(?:if|unless|whether|say|says|said|claims?|claimed|stated|writes|wrote|according)\b/iu;

const contraction = /n['’]t\b/iu;
const denials = new Set(
  (
    "no not nor never none nobody nothing neither without against cannot dont doesnt didnt isnt arent wasnt cant wont " +
    "wrong false untrue ignore disregard forget delete remove " +
    "nicht nichts nie niemals kein keine keinen keinem keiner ohne gegen falsch pas jamais rien sans contre nunca jamas nada " +
    "contra nao nem sem non mai senza niet geen nooit zonder ikke inte не нет ни никогда без"
  ).split(" "),
);

function denies(text: string): boolean {
  return contraction.test(text) || wordsIn(text).some((word) => denials.has(word));
}
