// Splitting a section into passages: their ends, their overlap, and invariants for any text.
import fc from "fast-check";
import type { Chunking } from "../../../../src/memory/source-load.ts";
import { chunkSection } from "../../../../src/memory/sources/chunk.ts";
import type { Section, SectionStyle } from "../../../../src/memory/sources/section.ts";
import { splitText } from "../../../../src/memory/sources/split-text.ts";
import { estimateTokens } from "../../../../src/model/tokens/token-counter.ts";

/** A token is a word, for simple counts. */
const byWords: Chunking = { maxTokens: 8, overlapTokens: 3, countTokens: (text) => text.match(/\S+/gu)?.length ?? 0 };
const byEstimate: Chunking = { maxTokens: 128, overlapTokens: 16, countTokens: estimateTokens };

const chunked = (section: Section, options: Chunking) =>
  [...chunkSection(section, options)].flatMap((one) => one ?? []);

const contents = (text: string, options: Chunking = byWords, style: SectionStyle = "prose") =>
  chunked({ text, style, place: {} }, options).map((chunk) => chunk.content);

describe("prose", () => {
  it("of blank lines alone is not searched for sentences", () => {
    const { segment } = Intl.Segmenter.prototype;
    let searches = 0;
    Intl.Segmenter.prototype.segment = function counted(text) {
      searches += 1;
      return segment.call(this, text);
    };
    try {
      expect(contents(`${"\n".repeat(5000)}One.`)).toEqual(["One."]);
    } finally {
      Intl.Segmenter.prototype.segment = segment;
    }
    expect(searches).toBeLessThan(5);
  });

  it("that fits is one passage, without surrounding white space", () => {
    expect(contents("\n  One two.\n\nThree.  \n")).toEqual(["One two.\n\nThree."]);
  });

  it("ends its passages with paragraphs rather than with sentences", () => {
    expect(contents("A b c d.\n\nE f g. H i j k l.")).toEqual(["A b c d.", "E f g. H i j k l."]);
  });

  it("begins a passage with the last sentences of the previous one, up to the maximum overlap", () => {
    expect(contents("A b c d e. F g h. I j k l. M n o p.")).toEqual([
      "A b c d e. F g h.",
      "F g h. I j k l.",
      "M n o p.",
    ]);
  });

  it("is cut between words if a sentence is too long", () => {
    expect(contents("a b c d e f g h i j k")).toEqual(["a b c d e f g h", "f g h i j k"]);
  });

  it("is cut at the full stops of Chinese", () => {
    const options = { ...byWords, overlapTokens: 0, countTokens: (text: string) => text.length };
    expect(contents("我是人。你是谁？他在哪里。", options)).toEqual(["我是人。你是谁？", "他在哪里。"]);
  });
});

describe("code", () => {
  it("ends its passages between functions", () => {
    const one = "function one() {\n  a;\n\n  b;\n}\n";
    const two = "// says two\nfunction two() {\n  c;\n}\n";
    const options = { ...byWords, maxTokens: 12 };
    expect(contents(`${one}\n${two}`, options, "code")).toEqual([one.trim(), two.trim()]);
  });

  it("is cut between lines if a function is too long", () => {
    const lines = ["f() {", "  a b c", "  d e f", "  g h i", "}"].join("\n");
    expect(contents(lines, byWords, "code")).toEqual(["f() {\n  a b c\n  d e f", "d e f\n  g h i\n}"]);
  });
});

it("has the lines of each passage, both included", () => {
  const text = "A b c d e.\nF g h.\nI j k l.\n\nM n o p.\n";
  const places = chunked({ text, style: "prose", place: { lineFrom: 10, heading: "H" } }, byWords);
  expect(places).toEqual([
    { content: "A b c d e.\nF g h.", place: { heading: "H", lineFrom: 10, lineTo: 11 } },
    { content: "F g h.\nI j k l.", place: { heading: "H", lineFrom: 11, lineTo: 12 } },
    { content: "M n o p.", place: { heading: "H", lineFrom: 14, lineTo: 14 } },
  ]);
});

it("has the line of its section, if the whole section is on one line of the file", () => {
  const text = "A b c d e.\nF g h.\nI j k l.";
  const places = chunked({ text, style: "prose", place: { lineFrom: 10, lineTo: 10 } }, byWords);
  expect(places).toEqual([
    { content: "A b c d e.\nF g h.", place: { lineFrom: 10, lineTo: 10 } },
    { content: "F g h.\nI j k l.", place: { lineFrom: 10, lineTo: 10 } },
  ]);
});

it("has page and heading, and no lines if the section has none", () => {
  const [chunk] = chunked({ text: "a\nb", style: "prose", place: { page: 3 } }, byWords);
  expect(chunk).toEqual({ content: "a\nb", place: { page: 3 } });
});

describe("it handles any text", () => {
  const family = "👩‍👩‍👧‍👦";
  it.each([
    ["a letter without end", "a".repeat(2e5)],
    ["a Chinese letter without end", "字".repeat(3e4)],
    ["families", family.repeat(3e3)],
    ["blanks", `a${" ".repeat(2e5)}b`],
    ["blank lines", `a${"\n".repeat(2e4)}b`],
    ["words", "word ".repeat(3e4)],
    ["sentences", "It is so. ".repeat(2e4)],
    ["a letter under a thousand accents", `x${"\u0301".repeat(5000)}y`],
    ["lone surrogates", `${"\ud83d ".repeat(5000)}${"\ude00".repeat(5000)}`],
    ["NUL and signs", "</human>%_\u0000".repeat(1e4)],
  ])("%s", (_, text) => {
    const chunks = contents(text, byEstimate);
    expect(chunks.length).toBeGreaterThan(0);
    expect(chunks.filter((chunk) => chunk !== chunk.trim())).toEqual([]);
    expect(chunks.filter((chunk) => estimateTokens(chunk) > 128)).toEqual([]);
    expect(chunks.every((chunk) => chunk.isWellFormed())).toBe(text.isWellFormed());
    if (text.startsWith(family)) expect(chunks.join("").replaceAll(family, "")).toBe("");
  });

  const alphabet = ["a", "word", " ", "\n", "\n\n", ". ", "。", "字", "🙂", family, "e\u0301", "\ud800", "{", "\t"];
  const texts = fc.array(fc.constantFrom(...alphabet), { maxLength: 300 }).map((parts) => parts.join(""));
  const styles = fc.constantFrom<SectionStyle>("prose", "code");

  it("the pieces of any text are the whole text, and none is too long", () => {
    fc.assert(
      fc.property(texts, styles, fc.integer({ min: 2, max: 20 }), (text, style, maxTokens) => {
        const pieces = [...splitText(text, { style, maxTokens, countTokens: estimateTokens })];
        expect(pieces.map(({ start, end }) => text.slice(start, end)).join("")).toBe(text);
        for (const { start, end, tokens } of pieces) {
          expect(tokens).toBe(estimateTokens(text.slice(start, end)));
          const isOneSign = Array.from(text.slice(start, end)).length === 1;
          if (!isOneSign) expect(tokens).toBeLessThanOrEqual(maxTokens);
        }
      }),
    );
  });

  it("every word of any text is in a passage, in order, and the lines are those of the text", () => {
    fc.assert(
      fc.property(texts, styles, fc.integer({ min: 0, max: 8 }), (text, style, overlapTokens) => {
        const options = { maxTokens: 16, overlapTokens, countTokens: estimateTokens };
        let covered = 0;
        for (const { content, place } of chunked({ text, style, place: { lineFrom: 1 } }, options)) {
          const lines = text
            .split("\n")
            .slice(place.lineFrom! - 1, place.lineTo!)
            .join("\n");
          expect(lines).toContain(content);
          // The last possible position without omitting a word.
          const next = covered + text.slice(covered).search(/\S/u);
          const at = text.lastIndexOf(content, next);
          expect(at).toBeGreaterThanOrEqual(0);
          covered = Math.max(covered, at + content.length);
        }
        expect(text.slice(covered).trim()).toBe("");
      }),
    );
  });
});
