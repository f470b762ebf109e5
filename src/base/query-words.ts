// Splits a query into words. Double quotes around a whole query are the only syntax. Also computes the share of a
// query's words that a text contains, in time linear in the length of the text.
// Invariant: texts, queries and highlighted results use the same patterns. The English function words (`stopWords`) are
// exactly the stop words of PostgreSQL's `english` configuration, which no search finds.
import { takeCodePoints } from "./code-points.ts";

/** Returns the text between the quotes, unchanged; undefined for a query without quotes. */
export function quotedLiteral(query: string): string | undefined {
  return /^"(?<literal>[\s\S]*)"$/u.exec(query.trim())?.groups?.["literal"];
}

export const stopWords: ReadonlySet<string> = new Set(
  (
    "i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it its " +
    "itself they them their theirs themselves what which who whom this that these those am is are was were be been being have " +
    "has had having do does did doing a an the and but if or because as until while of at by for with about against between " +
    "into through during before after above below to from up down in out on off over under again further then once here there " +
    "when where why how all any both each few more most other some such no nor not only own same so than too very s t can will " +
    "just don should now"
  ).split(" "),
);

/** The function words of German, Spanish and French, without accents, because texts are compared in folded form. */
export const functionWords: readonly ReadonlySet<string>[] = [
  setOf(
    "wer wie wo was wann wohin woher warum welche welcher welches welchen wessen wem wen der die das den dem des ein eine einen einem einer eines und oder nicht kein keine keinen ist sind war waren hat haben hatte wird werden wurde kann mit von vom zu zur zum auf an am im in bei fur ich du er sie es wir ihr mich mir sich mein meine meinen meiner dein deine sein seine unser unsere noch nur auch ohne als aus nach uber um so",
  ),
  setOf(
    "que quien quienes cual cuales como donde cuando cuanto por para el la los las lo un una unos unas de del al a y o no ya es son era fue fueron esta estan estoy estaba ha han hay he mi mis mia mias tu tus su sus nuestro nuestra nuestros nuestras me te se le les nos con sin en mas muy si",
  ),
  setOf(
    "qui que quoi quel quelle quels quelles ou quand comment pourquoi combien le la les l un une des du de d et est sont etait a ont ai as ete il elle ils elles on nous vous je j tu me m moi mon ma mes ton ta tes son sa ses notre nos votre vos leur ce cet cette ces c se s ne n pas plus dans sur pour par avec sans au aux en y faut",
  ),
];

// Without the annotation, the bundle of the inspector would contain words that the inspector does not use.
/* @__NO_SIDE_EFFECTS__ */
function setOf(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}

/** A run of characters of scripts without spaces between words. */
export const unspacedRun =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々〆]+/gu;

export const emoji = /\p{Extended_Pictographic}|\p{Regional_Indicator}{2}/gu;

/** Returns each pair of neighbouring characters; an empty list for a single character. */
export function pairsOf(run: string): readonly string[] {
  const letters = Array.from(run);
  return letters.slice(1).map((letter, place) => `${letters[place]}${letter}`);
}

/**
 * Parses a query once. Returns a function that returns the share of the query's terms that a text contains, ignoring
 * case and width.
 */
export function wordRelevance(query: string): (text: string) => number {
  const terms = termsOf(fold(query));
  return (text) => {
    const folded = fold(text);
    return terms.filter((term) => folded.includes(term)).length / Math.max(1, terms.length);
  };
}

/** Maximum terms of a query: more terms hardly change a ranking, and each one is searched in every text. */
const maxTerms = 64;
const unspaced = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+$/u;

/** Returns the words of a query, and pairs of letters for scripts without spaces. A query without any word is one term. */
function termsOf(query: string): readonly string[] {
  const words = query.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [query.trim()].filter((whole) => whole !== "");
  const terms = words.flatMap((word) => (unspaced.test(word) ? partsOf(word) : [word]));
  return [...new Set(terms)].slice(0, maxTerms);
}

function partsOf(word: string): readonly string[] {
  const head = takeCodePoints(word, maxTerms + 1);
  const pairs = pairsOf(head);
  return pairs.length === 0 ? [head] : pairs;
}

function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}
