// Distinguishes facts that a user stated from what a model made up, for models that are too small to do this reliably.
// Invariant: pure; a fact is stated only if the words that distinguish it were said; in doubt, it is not.
import { foldText } from "../../base/fold-text.ts";
import { isQuestion, sentencesIn } from "../../base/sentences.ts";
import { stopWords } from "../../base/query-words.ts";

/** Minimum words of a statement. A shorter sentence is a greeting, or an answer that says nothing without its question. */
const minWords = 3;

/** A request such as "Tell me a joke" says nothing about the user, unless it mentions the user: "Show me how I do it". */
const request = /^\s*(?:please\s+)?(?:explain|give|list|make|show|suggest|tell|translate|write)\b/iu;
const speaker = /\b(?:i|my|mine|we|our)\b/iu;

/** Returns the sentences of a message that state something, without questions, requests and greetings; "" for none. */
export function statementsIn(text: string): string {
  const kept = sentencesIn(text).filter((one) => !isQuestion(one) && !isRequest(one) && isLong(one));
  return kept.join("").trim();
}

function isRequest(sentence: string): boolean {
  return request.test(sentence) && !speaker.test(sentence);
}

function isLong(sentence: string): boolean {
  return (
    wordsIn(sentence).length >= minWords || /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Thai}]{4}/u.test(sentence)
  );
}

export const hasDigit = /\p{N}/u;

/** Minimum share of a fact's words that the user must have said. */
const minShare = 2 / 3;

/** Returns whether the text says the fact: all its numbers and names, and two thirds of its other words in some form. */
export function isStated(fact: string, text: string): boolean {
  const wanted = distinctWords(fact);
  if (wanted.length === 0) return false;
  const said = wordsIn(text);
  const isSaid = (word: string): boolean => said.some((other) => isSameWord(word, other));
  const names = (fact.match(/(?<=[\p{L}\p{N}]\s+)\p{Lu}[\p{L}\p{M}]*/gu) ?? []).map(foldText);
  if (!wanted.filter((word) => hasDigit.test(word) || names.includes(word)).every(isSaid)) return false;
  return wanted.filter(isSaid).length / wanted.length >= minShare;
}

/** Returns whether one line of the text has all words of the fact except stop words, and both or neither are a denial. */
export function isKnown(fact: string, text: string): boolean {
  const wanted = wordsIn(fact).filter((word) => telling.has(word) || !(stopWords.has(word) || naming.has(word)));
  const isDenial = denies(fact);
  return text.split("\n").some((line) => {
    const words = wordsIn(line);
    return denies(line) === isDenial && wanted.every((word) => words.some((other) => isSameWord(word, other)));
  });
}

const firstPerson = /(?<![\p{L}])(?:I|[Mm]y|[Mm]e|[Mm]ine|[Ww]e|[Oo]ur)(?![\p{L}])/u;

/** Returns a fact as it is stored. The user's own words are quoted, because a model would read "I" as itself. */
export function noteOf(fact: string): string {
  const text = fact.trim();
  const isQuoted = /^The user said\b/iu.test(text);
  return firstPerson.test(text) && !isQuoted ? `The user said: "${text}"` : text;
}

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** Words that only say whom or what a fact is about, or that it has a name, a part or an age. */
const naming = setOf("user users person people someone they called name named has owns said says years old");
/** Words that a model may add to a fact: the user need not have said them. */
const framing = setOf(
  "lives living live works working work likes like loves wants prefers prefer favorite favourite thank thanks thanked help helps helped asks asked",
);
/** Stop words that change what a sentence says, such as "was" instead of "is". */
const telling = setOf("was were had did will before after until");

/** Returns the words that distinguish a fact from other facts. */
function distinctWords(fact: string): readonly string[] {
  const words = [...new Set(wordsIn(fact))];
  return words.filter((word) => !stopWords.has(word) && !naming.has(word) && !framing.has(word));
}

/**
 * Returns the words and numbers of a text, in lower case and without accents (`foldText`). A number is whole, such as "-0.5",
 * "10:30", "2027-03-15" or "1 200" (as "1_200").
 */
export function wordsIn(text: string): readonly string[] {
  return foldedWordsIn(foldText(text));
}

export function foldedWordsIn(folded: string): readonly string[] {
  const words = folded.match(wordOrNumber) ?? [];
  return words.map((word) => word.replaceAll(/[\p{Pd}−]/gu, "-").replaceAll(/\p{Zs}/gu, "_"));
}

const sign = String.raw`(?<![\p{L}\p{M}\p{N}])[\p{Pd}+−±<>≤≥~≈]\p{Sc}?(?=[.,]?\p{N})`;
const point = String.raw`(?<![\p{L}\p{M}\p{N}.,])[.,](?=\p{N})`;
const mark = String.raw`(?<=\p{N})[^\s\p{L}\p{M}\p{N};()](?=\p{N})`;
/** A space before three digits, as in "1 200", but not after a date, a time or a fraction. */
const space = String.raw`(?<=(?<!\p{N}[^\s\p{L}\p{M}]?)\p{N}{1,3})\p{Zs}(?=\p{N}{3}(?!\p{N}))`;

/** Returns a pattern for runs of these characters that matches a number whole, with its sign and inner marks. */
function withWholeNumbers(characters: string): RegExp {
  return new RegExp(`(?:${sign})?(?:${point})?${characters}+(?:(?:${mark}|${space})${characters}+)*`, "gu");
}

const wordOrNumber = withWholeNumbers(String.raw`[\p{L}\p{M}\p{N}]`);
/** Matches a number as a whole: "0.5" and not "5". */
export const wholeNumber = withWholeNumbers(String.raw`\p{N}`);

const minStem = 4;
const maxEnding = 3;

/** Returns an ordinal such as `4th` as the number, and any other word as it is. */
function cardinal(word: string): string {
  return word.replace(/(?<=^\p{N}+)(?:st|nd|rd|th)$/u, "");
}

/**
 * Returns whether two words are equal, or are forms of one word: the same stem, with endings of a few letters. A number has
 * no other forms.
 */
export function isSameWord(one: string, other: string): boolean {
  if (one === other) return true;
  if (hasDigit.test(one) || hasDigit.test(other)) return cardinal(one) === cardinal(other);
  const [shorter, longer] = one.length < other.length ? [one, other] : [other, one];
  const stem = Math.max(minStem, shorter.length - maxEnding);
  if (shorter.length < stem || longer.length - stem > maxEnding + 1) return false;
  return longer.startsWith(shorter.slice(0, stem));
}

const contraction = /n['’]t\b/iu;
const denials = new Set(
  (
    "no not nor never none nobody nothing neither without against cannot dont doesnt didnt isnt arent wasnt cant wont " +
    "wrong false untrue ignore disregard forget delete remove " +
    "nicht nichts nie niemals kein keine keinen keinem keiner ohne gegen falsch pas jamais rien sans contre nunca jamas nada " +
    "contra nao nem sem non mai senza niet geen nooit zonder ikke inte не нет ни никогда без"
  ).split(" "),
);

/** Returns whether a text denies something, in a European language. */
export function denies(text: string): boolean {
  return contraction.test(text) || wordsIn(text).some((word) => denials.has(word));
}
