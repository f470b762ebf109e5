// Words as the rules compare them: lower case, without endings, without those that carry no topic.
// Invariant: every function is linear in its text.

const emptyWords = new Set(
  (
    "a about again all also am an and any anything are as at be been before but by can could date day did do does doing " +
    "ever find for from get give had has have he her him his how i i'm if in is it its just kind know last let " +
    "many me mention mentioned more much my of on or our out please put recall remember remind said say she should show so some " +
    "something talk talked tell than that the their them then there these they thing things think this those time to today told " +
    "us was we were what what's when when's where where's which who who's whom why will with would yesterday you your " +
    "mine yours discuss discussed ago week days i've i'd we've you've didn't don't doesn't"
  ).split(" "),
);

/** Words that count as a topic only when there is no other: "the name of my dog" is about the dog, "what is X like" about X. */
const weakWords = new Set(["like", "name", "names", "called", "named", "number", "new", "old", "one", "two"]);

/** The words of a text in lower case; apostrophes and hyphens stay inside a word. */
export function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+(?:['_-][\p{L}\p{N}]+)*/gu) ?? [];
}

/** The words that carry the topic of a question, in order and without repetition. */
export function contentWords(text: string): readonly string[] {
  const words = [...new Set(wordsOf(text).map(withoutPossessive))].filter((word) => !emptyWords.has(word));
  const strong = words.filter((word) => !weakWords.has(word));
  return strong.length > 0 ? strong : words;
}

/** A word without its ending and in one spelling, so that "sailing" meets "sails" and "colour" meets "color". */
export function stemOf(word: string): string {
  const spelled = withoutPossessive(word).replace("our", "or");
  if (spelled.length <= 3) return spelled;
  const cut = spelled.replace(/(?:ing|ies|ed|es|s|e|y)$/, "");
  return cut.length >= 3 ? cut : spelled;
}

/** How many of the words occur in the text, compared by their stems. */
export function countMentions(text: string, words: readonly string[]): number {
  const stems = new Set(wordsOf(text).map(stemOf));
  const plain = text.toLowerCase();
  return words.filter((word) => stems.has(stemOf(word)) || (word.length > 4 && plain.includes(word))).length;
}

/** The text in lower case with single spaces and no punctuation: two texts that say the same compare equal. */
export function flatten(text: string): string {
  return wordsOf(text).join(" ");
}

function withoutPossessive(word: string): string {
  return word.endsWith("'s") ? word.slice(0, -2) : word;
}
