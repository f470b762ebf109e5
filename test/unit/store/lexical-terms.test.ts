// Terms that PostgreSQL's parser does not make: what is indexed is what is asked for.
import { foldText } from "../../../src/base/fold-text.ts";
import { indexedTerms, queryTerms } from "../../../src/store/search/lexical-terms.ts";

const indexed = (text: string) =>
  (indexedTerms(foldText(text)) ?? "").split(" ").map((term) => term.replace(/:\d+/u, ":"));

describe("the terms of a text", () => {
  it.each([
    ["plain English words, of some length", [""]],
    ["call foo.bar(user_id)", ["'foobar':A", "'userid':A"]],
    ["std::map -> a->b", ["'stdmap':A", "'a->b':A"]],
    ["src/main.ts C:\\dir ada@host.example 3-4", ["'srcmaints':A", "'c:\\\\dir':A", "'adahostexample':A", "'3-4':A"]],
    ["QX7-44K, 3-4, 1.5 of 2024/0871", ["'qx744k':A", "'3-4':A", "'1.5':A", "'20240871':A"]],
    ["flight LH 438 or M-KV 2207.", ["'m-kv':A", "'lh438':A", "'mkv2207':A"]],
    ["100% sure of C++ and C#, #42, $5 --flag", ["'100%':A", "'c++':A", "'c#':A", "'#42':A", "'$5':A", "'--flag':A"]],
    ["a👩‍👧b 🏴‍☠️", ["'👩':A", "'👧':A", "'🏴':A", "'☠':A"]],
    ["海边划", ["'海边':A", "'边划':A", "'划':A"]],
    ["한국어를", ["'한국':A", "'국어':A", "'어를':A", "'를':A"]],
    ["والكتاب", ["'~والكتاب':C", "'~الكتاب':C", "'~لكتاب':C", "'~كتاب':C", "'~تاب':C"]],
    [
      "Haustürschlüs",
      [
        "'~hausturschlus':C",
        "'~austurschlus':C",
        "'~usturschlus':C",
        "'~sturschlus':C",
        "'~turschlus':C",
        "'~urschlus':C",
        "'~rschlus':C",
        "'~schlus':C",
      ],
    ],
    ["it's o'clock_'x'", ["'clock_':A"]],
  ])("%j", (text, terms) => {
    expect(indexed(text)).toEqual(terms);
  });

  it("have a bounded size for any text", () => {
    const odd = [
      "a".repeat(1e6),
      Array.from({ length: 200_000 }, (_, index) => `w_${index}`).join(" "),
      Array.from({ length: 100_000 }, (_, index) => String.fromCodePoint(0x4e00 + (index % 20_000))).join(""),
      `${"x".repeat(64)} `.repeat(5000),
      "'\\".repeat(50_000),
    ];
    for (const text of odd) expect((indexedTerms(foldText(text)) ?? "").length).toBeLessThan(400_000);
  });
});

describe("the terms of a query", () => {
  it.each([
    ["where is user_id?", "'userid'", "'userid'"],
    ["how far is AB-1290-Z?", "'ab1290z'", "'ab1290z'"],
    ["what is in 2024", null, null],
    ["what is it", null, null],
    ["the Schlüssel", null, "'~schlussel':*"],
    ["كتاب", null, "'~كتاب':*"],
    ["海", null, "'海':*"],
    ["it's 'quoted' a\\b", "'a\\\\b'", "'a\\\\b' | '~quoted':*"],
  ])("%j", (query, identifiers, any) => {
    expect(queryTerms(foldText(query))).toEqual({ identifiers, any });
  });
});
