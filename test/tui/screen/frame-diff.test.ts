// The bytes between two frames, on a model of a terminal: whatever was drawn, the next frame is what the screen then shows.
// `FUZZ_TRIALS`: the number of trials, 250 by default.
import fc from "fast-check";
import { graphemeWidth } from "../../../src/surfaces/terminal/screen/text-width.ts";
import { blankPicture, frameDiff, type Picture, placeOf } from "../../../src/surfaces/terminal/screen/frame-diff.ts";
import { lineOf } from "../../../src/surfaces/terminal/screen/line.ts";
import { createTerminalModel, type ModelOptions, type TerminalModel } from "../../support/terminal-model.ts";

const size = { columns: 20, rows: 8 };
const family = "👩‍👩‍👧‍👦";

/** Rows are texts with sequences for styles. */
const picture = (rows: readonly string[], cursor?: Picture["cursor"]): Picture => ({
  lines: rows.map((row) => lineOf(row, size.columns - 1)),
  cursor,
});

/** Draws pictures after each other: `finished` rows go above the live ones. */
function drawn(
  frames: readonly { readonly finished?: readonly string[]; readonly live: Picture }[],
  options: Partial<ModelOptions> = {},
): TerminalModel {
  const model = createTerminalModel({ ...size, ...options });
  let last = blankPicture;
  for (const { finished = [], live } of frames) {
    const above = picture(finished).lines;
    const cursor = live.cursor === undefined ? undefined : { x: live.cursor.x, y: live.cursor.y + above.length };
    model.write(frameDiff(last, { lines: [...above, ...live.lines], cursor }, size.rows));
    last = live;
  }
  return model;
}

/** The sequences that begin and end a style. */
const styles = [
  ["", ""],
  ["\u001b[2m", "\u001b[22m"],
  ["\u001b[4m", "\u001b[24m"],
  ["\u001b[38;5;94m", "\u001b[39m"],
  ["\u001b[1m\u001b[31m", "\u001b[39m\u001b[22m"],
  ["\u001b[9m", "\u001b[29m"],
] as const;
const texts = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: fc.constantFrom("a", "b", " "), maxLength: 12 }) },
  fc.string({ unit: fc.constantFrom("x", "日", "本", "e\u0301", " "), maxLength: 8 }),
  fc.string({ unit: fc.constantFrom("x", family, "❤️", "🇵🇹", "ｶﾞ", "的", " "), maxLength: 4 }),
);
const row = fc
  .array(
    fc.tuple(texts, fc.constantFrom(...styles)).map(([text, [begin, end]]) => begin + text + end),
    { maxLength: 3 },
  )
  .map((spans) => spans.join(""));
const live = fc
  .tuple(fc.array(row, { minLength: 1, maxLength: size.rows }), fc.option(fc.nat({ max: 18 })), fc.nat({ max: 30 }))
  .map(([rows, x, y]) => picture(rows, x === null ? undefined : { x, y: y % rows.length }));
/** A frame is often the one before with few changes. */
const frames = fc
  .array(fc.tuple(fc.array(row, { maxLength: 12 }), live, fc.nat({ max: 3 }), fc.nat({ max: 8 })), {
    minLength: 1,
    maxLength: 5,
  })
  .map((steps) => {
    let last: Picture = blankPicture;
    return steps.map(([finished, wanted, kind, at]) => {
      const kept =
        kind === 0 ? wanted.lines : last.lines.toSpliced(at, kind === 2 ? 0 : 1, ...wanted.lines.slice(0, kind - 1));
      const lines = kept.length === 0 ? wanted.lines : kept.slice(0, size.rows);
      const y = Math.min(wanted.cursor?.y ?? 0, lines.length - 1);
      last = { lines, cursor: wanted.cursor === undefined ? undefined : { x: wanted.cursor.x, y } };
      return { finished: at > 4 ? finished : [], live: last };
    });
  });

const shownText = ({ lines }: Picture): readonly string[] =>
  lines.map(({ cells }) =>
    cells
      .map(({ text }) => text)
      .join("")
      .trimEnd(),
  );

const numRuns = Number(process.env["FUZZ_TRIALS"] || 250);

describe("on any sequence of frames", () => {
  it("the terminal shows all finished rows, in order, and then the live rows of the last frame, with their styles", () => {
    fc.assert(
      fc.property(frames, (steps) => {
        const model = drawn(steps);
        const wanted = steps.flatMap(({ finished }) => shownText(picture(finished)));
        const last = steps.at(-1)?.live ?? blankPicture;
        wanted.push(...shownText(last));
        expect(model.everything()).toEqual(wanted.slice(0, wanted.findLastIndex((text) => text !== "") + 1));
        const { isVisible, ...cursor } = model.cursor();
        const top = cursor.y - placeOf(last).y;
        expect([cursor.x, isVisible]).toEqual([placeOf(last).x, last.cursor !== undefined]);
        for (const [index, { cells }] of last.lines.entries()) {
          const styles = model.stylesOf(top + index);
          for (const [column, { text, look }] of cells.entries())
            if (text !== "" && text !== " ") expect(styles[column]).toBe(look.codes);
        }
      }),
      { numRuns },
    );
  });

  it("emoji that a terminal draws wider move no other row", () => {
    const isWide = (text: string): boolean => /\p{Extended_Pictographic}|\p{RI}|\ufe0f/u.test(text);
    const widthOf = (grapheme: string): number => (isWide(grapheme) ? 4 : graphemeWidth(grapheme));
    fc.assert(
      fc.property(frames, (steps) => {
        const last = steps.at(-1)?.live ?? blankPicture;
        const wanted = [...steps.flatMap(({ finished }) => shownText(picture(finished))), ...shownText(last)];
        const shown = drawn(steps, { widthOf }).everything();
        const isCut = wanted.map(isWide);
        const rest = (rows: readonly string[]) =>
          rows
            .map((text, at) => (isCut[at] === true ? "" : text))
            .join("\n")
            .trimEnd();
        expect(rest(shown)).toBe(rest(wanted));
      }),
      { numRuns },
    );
  });

  it("rows are right also in a terminal that has other widths for emoji", () => {
    const widthOf = (grapheme: string): number =>
      /\p{Extended_Pictographic}|\p{RI}|\ufe0f/u.test(grapheme) ? 1 : graphemeWidth(grapheme);
    fc.assert(
      fc.property(frames, (steps) => {
        const model = drawn(steps, { widthOf });
        const last = steps.at(-1)?.live ?? blankPicture;
        const wanted = [...steps.flatMap(({ finished }) => shownText(picture(finished))), ...shownText(last)];
        expect(model.everything()).toEqual(wanted.slice(0, wanted.findLastIndex((text) => text !== "") + 1));
      }),
      { numRuns },
    );
  });
});

describe("a frame takes few bytes", () => {
  const prompt = ["", "> ", "ada · demo", "Enter send"];
  const at = (y: number): Picture["cursor"] => ({ x: 2, y });

  it.each<[string, string, string, string]>([
    ["nothing has changed", "same", "same", ""],
    ["a word is added", "The tide", "The tide is", "\u001b[2A\u001b[7Cis\u001b[2B\u001b[3G"],
    ["a digit changes", "12 s · 340", "12 s · 341", "\u001b[2A\u001b[7C1\u001b[2B\u001b[3G"],
    ["two places are near", "a 12 b", "c 12 d", "\u001b[2A\rc 12 d\u001b[2B\u001b[3G"],
    ["the end is removed", "The tide is", "The", "\u001b[2A\u001b[C\u001b[K\u001b[2B\b"],
  ])("when %s", (_title, before, after, bytes) => {
    const old = picture([before, ...prompt], at(2));
    const next = picture([after, ...prompt], at(2));
    expect(frameDiff(old, next, size.rows)).toBe(bytes);
  });

  it("when a row is added above the prompt, the prompt is moved and not drawn again", () => {
    const old = picture(["first", ...prompt], at(2));
    const next = picture(["first", "second", ...prompt], at(3));
    const bytes = frameDiff(old, next, size.rows);
    expect(bytes).toContain("second");
    expect(bytes).not.toContain("demo");
    expect(Buffer.byteLength(bytes)).toBeLessThan(40);
  });

  it("when only the colour changes, the text is drawn again in the new one", () => {
    const [yellow, brown] = ["\u001b[33mwarned\u001b[39m", "\u001b[38;5;94mwarned\u001b[39m"];
    expect(frameDiff(picture([yellow]), picture([brown]), 8)).toContain("\u001b[38;5;94mwarned\u001b[m");
  });
});

it("a row beyond the width is cut, before a wide character that does not fit", () => {
  expect(shownText({ lines: [lineOf("ab日本", 5)], cursor: undefined })).toEqual(["ab日"]);
});
