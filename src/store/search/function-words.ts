// Removes the function words of a German, Spanish or French query. PostgreSQL's English parser knows only English ones, and a text
// that shares a "der" or a "para" with a question would rank as one that shares a subject.
// Invariant: pure; a query is changed only if it has two function words of one of these languages, and more than English ones, and
// some word always remains.
import { stopWords as english } from "../../base/stop-words.ts";

/** Without accents, as folded texts are. */
const others = [
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

const wholeWord = /(?<![\p{L}\p{M}\p{N}_])[\p{L}\p{M}]+(?![\p{L}\p{M}\p{N}_])/gu;

/** Returns the folded query without these words. */
export function withoutFunctionWords(folded: string): string {
  const words = folded.match(wholeWord) ?? [];
  const countOf = (some: ReadonlySet<string>): number => words.filter((word) => some.has(word)).length;
  let [language, most] = [english, Math.max(1, countOf(english))];
  for (const other of others) if (countOf(other) > most) [language, most] = [other, countOf(other)];
  if (language === english) return folded;
  const left = folded.replaceAll(wholeWord, (word) => (language.has(word) ? " " : word));
  return /[\p{L}\p{N}]/u.test(left) ? left : folded;
}

function setOf(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}
