// How many columns a text takes on a terminal, by the same rules as Ink measures with.
// Invariant: a width is never smaller than what Ink measures, or else rows would wrap and break the layout.

const segmenter = new Intl.Segmenter();
const printableAscii = /^[\u0020-\u007e]*$/;
// The `v` flag needs a newer target than ours in a literal; every Node we support has it.
const emoji = new RegExp("^\\p{RGI_Emoji}$", "v");
const visible =
  /[^\p{Default_Ignorable_Code_Point}\p{Control}\p{Format}\p{Nonspacing_Mark}\p{Enclosing_Mark}\p{Surrogate}]/u;
const pictographs = /\p{Extended_Pictographic}/gu;
const keycap = /^[\d#*]\u20e3$/;
const widens = /[\p{Spacing_Mark}\uff00-\uffef]/u;

// First and last code points of East Asian Wide and Fullwidth characters (Unicode 17, merged where only
// unassigned code points lie between).
const wideRanges: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x231a, 0x231b],
  [0x2329, 0x232a],
  [0x23e9, 0x23ec],
  [0x23f0, 0x23f0],
  [0x23f3, 0x23f3],
  [0x25fd, 0x25fe],
  [0x2614, 0x2615],
  [0x2630, 0x2637],
  [0x2648, 0x2653],
  [0x267f, 0x267f],
  [0x268a, 0x268f],
  [0x2693, 0x2693],
  [0x26a1, 0x26a1],
  [0x26aa, 0x26ab],
  [0x26bd, 0x26be],
  [0x26c4, 0x26c5],
  [0x26ce, 0x26ce],
  [0x26d4, 0x26d4],
  [0x26ea, 0x26ea],
  [0x26f2, 0x26f3],
  [0x26f5, 0x26f5],
  [0x26fa, 0x26fa],
  [0x26fd, 0x26fd],
  [0x2705, 0x2705],
  [0x270a, 0x270b],
  [0x2728, 0x2728],
  [0x274c, 0x274c],
  [0x274e, 0x274e],
  [0x2753, 0x2755],
  [0x2757, 0x2757],
  [0x2795, 0x2797],
  [0x27b0, 0x27b0],
  [0x27bf, 0x27bf],
  [0x2b1b, 0x2b1c],
  [0x2b50, 0x2b50],
  [0x2b55, 0x2b55],
  [0x2e80, 0x303e],
  [0x3041, 0x3247],
  [0x3250, 0xa4c6],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6b],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x191d2],
  [0x1aff0, 0x1b2fb],
  [0x1d300, 0x1d376],
  [0x1f004, 0x1f004],
  [0x1f0cf, 0x1f0cf],
  [0x1f18e, 0x1f18e],
  [0x1f191, 0x1f19a],
  [0x1f1ae, 0x1f1ae],
  [0x1f200, 0x1f320],
  [0x1f32d, 0x1f335],
  [0x1f337, 0x1f37c],
  [0x1f37e, 0x1f393],
  [0x1f3a0, 0x1f3ca],
  [0x1f3cf, 0x1f3d3],
  [0x1f3e0, 0x1f3f0],
  [0x1f3f4, 0x1f3f4],
  [0x1f3f8, 0x1f43e],
  [0x1f440, 0x1f440],
  [0x1f442, 0x1f4fc],
  [0x1f4ff, 0x1f53d],
  [0x1f54b, 0x1f54e],
  [0x1f550, 0x1f567],
  [0x1f57a, 0x1f57a],
  [0x1f595, 0x1f596],
  [0x1f5a4, 0x1f5a4],
  [0x1f5fb, 0x1f64f],
  [0x1f680, 0x1f6c5],
  [0x1f6cc, 0x1f6cc],
  [0x1f6d0, 0x1f6d2],
  [0x1f6d5, 0x1f6df],
  [0x1f6eb, 0x1f6ec],
  [0x1f6f4, 0x1f6fc],
  [0x1f7da, 0x1f7da],
  [0x1f7e0, 0x1f7f0],
  [0x1f90c, 0x1f93a],
  [0x1f93c, 0x1f945],
  [0x1f947, 0x1f9ff],
  [0x1fa70, 0x1faff],
  [0x20000, 0x3fffd],
];

/** What a reader sees as characters, in order. */
export function graphemesOf(text: string): readonly string[] {
  return printableAscii.test(text) ? [...text] : Array.from(segmenter.segment(text), (part) => part.segment);
}

/** Columns that a text without line breaks takes. */
export function widthOf(text: string): number {
  if (printableAscii.test(text)) return text.length;
  return graphemesOf(text).reduce((width, grapheme) => width + graphemeWidth(grapheme), 0);
}

/** Columns of one grapheme: 0, 1, 2, or more for a base with spacing marks. */
export function graphemeWidth(grapheme: string): number {
  const start = grapheme.search(visible);
  if (start === -1) return 0;
  // The pattern of all emoji is long, and V8 does not optimize it in a process that has compiled much. It is for sequences:
  // an emoji of one code point is wide by the table.
  if (!isOneCodePoint(grapheme) && isWideSequence(grapheme)) return 2;
  const [base, ...rest] = grapheme.slice(start);
  const extra = rest.filter((character) => widens.test(character) || isJamo(character));
  return [base ?? "", ...extra].reduce((width, character) => width + characterWidth(character), 0);
}

function isOneCodePoint(grapheme: string): boolean {
  return grapheme.length === ((grapheme.codePointAt(0) ?? 0) > 0xffff ? 2 : 1);
}

function isWideSequence(grapheme: string): boolean {
  if (emoji.test(grapheme) || keycap.test(grapheme)) return true;
  if (/^[\u1100-\u115f][\u1160-\u11a7][\u11a8-\u11ff]?$/.test(grapheme)) return true;
  return grapheme.includes("\u200d") && (grapheme.match(pictographs)?.length ?? 0) >= 2;
}

function isJamo(character: string): boolean {
  return /[\u1100-\u11ff\ua960-\ua97c\ud7b0-\ud7fb]/.test(character);
}

function characterWidth(character: string): number {
  const codePoint = character.codePointAt(0) ?? 0;
  let low = 0;
  let high = wideRanges.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const range = wideRanges[middle] ?? [0, 0];
    if (codePoint < range[0]) high = middle - 1;
    else if (codePoint > range[1]) low = middle + 1;
    else return 2;
  }
  return 1;
}
