// Folds text for comparison in searches: ignores case, diacritics and compatibility forms. Can convert offsets in the folded
// text to offsets in the original text.
// Invariant: folding happens only here, never in the database, so results do not depend on a server's locale; an offset
// never splits a character from its marks, an emoji sequence or a syllable of joined letters.
import { storableText } from "./code-points.ts";

/** Latin letters that users also type without stroke or dot, or as two letters. Unicode normalization keeps them. */
const plainLetters: Readonly<Record<string, string>> = {
  ı: "i",
  ł: "l",
  ø: "o",
  đ: "d",
  ð: "d",
  ħ: "h",
  ŧ: "t",
  ß: "ss",
  æ: "ae",
  œ: "oe",
  þ: "th",
};

/**
 * Returns the text in NFKC and lower case, without the combining marks of U+0300 to U+036F and with plain Latin letters
 * ("Yıldız" is "yildiz"). Marks of other scripts are kept.
 */
export function foldText(text: string): string {
  return storableText(text)
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFD")
    .replaceAll(/[\u0300-\u036f]/gu, "")
    .replaceAll("ς", "σ")
    .replaceAll(/[ıłøđðħŧßæœþ]/gu, (letter) => plainLetters[letter]!)
    .normalize("NFC");
}

/** A range of a text in UTF-16 units; `end` is exclusive. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

interface FoldedPlaces {
  /** The folded text: the same as from `foldText`, except where folding depends on more than one grapheme. */
  readonly folded: string;
  /**
   * Converts offsets in the folded text to offsets of whole graphemes in the original text. `to` is exclusive and
   * greater than `from`.
   */
  placeOf(from: number, to: number): TextRange;
}

// Matches a grapheme, including a letter that a virama joins to the previous one. A match has at most 64 marks, so that
// a text with a million marks is processed in pieces.
const character =
  /[\u1100-\u115f\ua960-\ua97c][\u1160-\u11a7\ud7b0-\ud7c6]?[\u11a8-\u11ff\ud7cb-\ud7fb]?\p{M}{0,64}|\p{Regional_Indicator}{2}|[\s\S](?:[\u094d\u09cd\u0acd\u0b4d\u0c4d\u0d4d]\u200d?\p{L}|[\p{M}\uff9e\uff9f]|\p{Emoji_Modifier}|\u200d[^\s]?){0,64}/gu;
// oxlint-disable-next-line no-control-regex -- all of ASCII, where a grapheme is one code unit
const ascii = /^[\u0000-\u007f]*$/u;

export function foldWithPlaces(text: string): FoldedPlaces {
  if (ascii.test(text)) return { folded: foldText(text), placeOf: (start, end) => ({ start, end }) };
  const pieces: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  const known = new Map<string, string>();
  for (const { 0: found, index } of text.matchAll(character)) {
    const folded = known.get(found) ?? foldText(found);
    if (known.size < 10_000) known.set(found, folded);
    pieces.push(folded);
    for (let count = 0; count < folded.length; count += 1) {
      starts.push(index);
      ends.push(index + found.length);
    }
  }
  return {
    folded: pieces.join(""),
    placeOf: (from, to) => ({ start: starts[from] ?? text.length, end: ends[to - 1] ?? text.length }),
  };
}

/** Returns the ranges in order, with one range for those that touch or overlap. */
export function joinedRanges(ranges: readonly TextRange[]): readonly TextRange[] {
  const joined: TextRange[] = [];
  for (const range of ranges.toSorted((one, other) => one.start - other.start)) {
    const last = joined.at(-1);
    if (last === undefined || range.start > last.end) joined.push(range);
    else if (range.end > last.end) joined[joined.length - 1] = { start: last.start, end: range.end };
  }
  return joined;
}
