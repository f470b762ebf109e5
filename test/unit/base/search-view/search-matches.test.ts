// Highlighted matches: their ranges in the original text, for any text.
import { graphemesOf } from "../../../../src/surfaces/terminal/screen/text-width.ts";
import { findMatches } from "../../../../src/base/search-view/search-pieces.ts";

/** The text with its matches in brackets. */
function marked(text: string, query: string): string {
  let shown = "";
  let last = 0;
  for (const { start, end } of findMatches(text, query)) {
    expect(start).toBeGreaterThanOrEqual(last);
    expect(end).toBeGreaterThan(start);
    shown += `${text.slice(last, start)}[${text.slice(start, end)}]`;
    last = end;
  }
  return shown + text.slice(last);
}

describe("findMatches", () => {
  it.each([
    ["words of any case", "Ada SAILS to Lisbon", "lisbon ada", "[Ada] SAILS to [Lisbon]"],
    [
      "words by their stems",
      "She sailed. He sails; stories of Families",
      "sailing story family",
      "She [sailed]. He [sails]; [stories] of [Families]",
    ],
    ["doubled letters of an ending", "swimming, planned", "swim plan", "[swimming], [planned]"],
    ["no stem where there is none", "strings need a king", "string needs kings", "[strings] [need] a [king]"],
    ["whole words only", "sailor assails", "sail now", "sailor assails"],
    ["no stop words", "the boat is in the harbour", "where is the boat", "the [boat] is in the harbour"],
    ["stop words that are the whole query", "to be or not to be", "to be", "[to be] or not [to be]"],
    ["the query as it stands, within words too", "rowboats", "wboa", "ro[wboa]ts"],
    ["parts of long words", "Donaudampfschifffahrt", "schifffahrt", "Donaudampf[schifffahrt]"],
    ["accents, which do not count", "Café in São Paulo, CAFE", "cafe sao", "[Café] in [São] Paulo, [CAFE]"],
    ["accents of combining marks", "Cafe\u0301s and cafe\u0301", "café", "[Cafe\u0301s] and [cafe\u0301]"],
    ["forms of other widths", "ＡＤＡ and ﬁsh", "ada fish", "[ＡＤＡ] and [ﬁsh]"],
    ["a letter that grows when folded", "İstanbul ﷺ Ada", "ada istanbul", "[İstanbul] ﷺ [Ada]"],
    ["sigmas", "ΟΔΥΣΣΕΥΣ οδυσσευς", "Οδυσσεύς", "[ΟΔΥΣΣΕΥΣ] [οδυσσευς]"],
    ["pairs of Chinese", "我在海边划船", "海边船", "我在[海边]划船"],
    ["pairs that touch, as one", "我在海边划船", "海边划", "我在[海边划]船"],
    ["one Chinese letter", "海边的海", "海", "[海]边的[海]"],
    ["words beside Chinese", "東京tower", "tower", "東京[tower]"],
    [
      "Korean, composed or not",
      "\u1112\u1161\u11ab\u1100\u116e\u11a8어",
      "한국",
      "[\u1112\u1161\u11ab\u1100\u116e\u11a8]어",
    ],
    ["half-width kana", "ｶﾞﾗｽ", "ガラ", "[ｶﾞﾗ]ｽ"],
    [
      "identifiers",
      "call user_id and foo.bar() in c++",
      "foo.bar user_id, c++?",
      "call [user_id] and [foo.bar]() in [c++]",
    ],
    ["patterns as text", "100% of a_b (x|y)* \\d", "100% (x|y)*", "[100%] of a_b ([x|y)*] \\d"],
    [
      "a literal, exactly",
      'say "red boat", red boats, boat red',
      '"red boat"',
      'say "[red boat]", [red boat]s, boat red',
    ],
    ["emoji sequences, whole", "a 👨‍👩‍👧 b 👍🏽 c", "👩 👍", "a [👨‍👩‍👧] b [👍🏽] c"],
    ["flags", "🇵🇹🇪🇸", "🇪🇸", "🇵🇹[🇪🇸]"],
    ["nothing for an empty query", "a b", "  ", "a b"],
    ["nothing for an empty literal", "a b", '""', "a b"],
    ["nothing in an empty text", "", "a", ""],
  ])("marks %s", (_what, text, query, shown) => {
    expect(marked(text, query)).toBe(shown);
  });

  it.each([
    ["lone surrogates", "\ud83d Ada \udc00 \ud800Ada", "ada", "\ud83d [Ada] \udc00 \ud800[Ada]"],
    ["NUL", "a\u0000Ada é", "ada", "a\u0000[Ada] é"],
    ["markup", "</human> %_ é", "</human> %_", "[</human> %_] é"],
  ])("accepts %s", (_what, text, query, shown) => {
    expect(marked(text, query)).toBe(shown);
  });

  it("never splits a grapheme", () => {
    const text = "e\u0301a\u0308👨‍👩‍👧한국어हिन्दी가\u0301🇵🇹ﬁ";
    const edges = new Set([0]);
    for (const grapheme of graphemesOf(text)) edges.add(Math.max(...edges) + grapheme.length);
    const queries = [...Array.from(text), "a", "i", "f"];
    const found = queries.flatMap((query) => findMatches(text, query).map((match) => ({ query, ...match })));
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter(({ start, end }) => !edges.has(start) || !edges.has(end))).toEqual([]);
  });

  it.each([
    ["letters", "a".repeat(1e6), "a".repeat(1e6)],
    ["letters with an accent", `é${"a".repeat(1e6)}`, "a".repeat(20)],
    ["marks", `a${"\u0301".repeat(1e6)}`, "a"],
    ["words", "sail é ".repeat(150_000), "sailing"],
    ["emoji that join", "👩\u200d".repeat(300_000), "👩"],
    ["quotes", '"'.repeat(1e6), '"'.repeat(1e6)],
    ["spaces", " ".repeat(1e6), " ".repeat(1e6)],
  ])("reads a million %s, and stays within the text", (_what, text, query) => {
    const matches = findMatches(text, query);
    for (const { start, end } of [...matches.slice(0, 3), ...matches.slice(-3)]) {
      expect(start).toBeLessThan(end);
      expect(end).toBeLessThanOrEqual(text.length);
    }
  });
});
