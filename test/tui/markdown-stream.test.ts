// Streamed Markdown: finished parts are drawn once, and the parts together look like the complete text.
import fc from "fast-check";
import { itemRows } from "../../src/surfaces/terminal/rows/item-rows.ts";
import { type Row, rowText } from "../../src/surfaces/terminal/rows/row.ts";
import {
  appendReply,
  type LiveBlock,
  settleBlocks,
  settleFinished,
} from "../../src/surfaces/terminal/rows/stream-tail.ts";
import type { ViewItem } from "../../src/surfaces/terminal/view/view-item.ts";

interface Streamed {
  readonly items: readonly ViewItem[];
  readonly blocks: readonly LiveBlock[];
  readonly maxLive: number;
}

const sizes = { width: 79, budget: 12 };

function stream(text: string, size: { readonly width: number; readonly budget: number }, pieceLength = 7): Streamed {
  let blocks: readonly LiveBlock[] = [];
  const items: ViewItem[] = [];
  let maxLive = 0;
  for (let offset = 0; offset < text.length; offset += pieceLength) {
    const next = settleFinished(appendReply(blocks, text.slice(offset, offset + pieceLength)), size);
    items.push(...next.settled);
    blocks = next.blocks;
    maxLive = Math.max(maxLive, rowsOf(blocks, size.width).length);
  }
  return { items: [...items, ...settleBlocks(blocks)], blocks, maxLive };
}

function rowsOf(items: readonly ViewItem[], width: number): readonly Row[] {
  return items.flatMap((item) => itemRows(item, width));
}

const shown = (items: readonly ViewItem[], width: number): string =>
  rowsOf(items, width)
    .map((row) => rowText(row).trimEnd())
    .join("\n");

const whole = (text: string, width: number): string => shown([{ kind: "reply", text, continues: false }], width);

const code = Array.from({ length: 18 }, (_, line) => `  const value${line} = [${line}, "- x"]; /* ${"*".repeat(line)}`);
const documents: readonly (readonly [string, string])[] = [
  ["paragraphs", Array.from({ length: 15 }, (_, index) => `Paragraph ${index}, with *some* words.`).join("\n\n")],
  ["a list longer than the screen", Array.from({ length: 30 }, (_, index) => `- item ${index}`).join("\n")],
  ["a numbered list of ones", Array.from({ length: 120 }, () => `1. item`).join("\n")],
  ["a list of one item with many in it", `1. first\n${"   - inner\n".repeat(20)}1. last`],
  ["lists three deep", "- a\n  - b\n    1. c\n    1. d\n  - e\n    more of e\n".repeat(7)],
  [
    "numbers with lists in them",
    Array.from({ length: 15 }, (_, n) => `${n + 1}. **head**\n   - one\n   - two`).join("\n"),
  ],
  ["code longer than the screen", `Look:\n\n\`\`\`ts\n${code.join("\n")}\n\`\`\`\n\nThat is all.`],
  ["a comment over many lines of code", `\`\`\`ts\n/*\n${"const a = 1;\n".repeat(20)}*/\nconst b = 2;\n\`\`\``],
  ["code within an item", `1. Do this:\n   \`\`\`sh\n${"   echo - a\n".repeat(20)}   \`\`\`\n2. Then that.`],
  ["a fence that is never closed", `\`\`\`\n${"# no heading\n".repeat(20)}`],
  ["a table longer than the screen", `| name | n |\n|:--|--:|\n${"| ada | 12 |\n".repeat(20)}\nDone.`],
  ["a long quote", "> quoted words\n".repeat(20)],
  ["many short lines", "a line\n".repeat(20)],
  ["headings and rules", "# One\n\ntext\n\n---\n\n## Two\n\nmore\n\n".repeat(6)],
];

const long = "some words ".repeat(100);
/** In pieces, because one long piece at once is split at other places than those at which it would have been drawn. */
const endedBlocks: typeof documents = [
  ["a long line after a table", `| a | b |\n|---|---|\n| 1 | 2 |\n\n${long}`],
  ["a long line after code", `\`\`\`ts\nconst a = 1;\n\`\`\`\n\n${long}`],
  ["a long line after a quote", `> quoted\n\n${long}`],
  ["a long line after a list", `- one\n- two\n\n${long}`],
];

describe.each([1, 7, 100_000])("in pieces of %d", (pieceLength) => {
  const shownDocuments = [...documents, ...(pieceLength < 100 ? endedBlocks : [])];
  test.each(shownDocuments)("%s is rendered as in one piece, with a live part within the budget", (_title, text) => {
    const { items, maxLive } = stream(text, sizes, pieceLength);
    expect(shown(items, sizes.width)).toBe(whole(text.trimEnd(), sizes.width));
    expect(maxLive).toBeLessThanOrEqual(sizes.budget);
  });
});

test("split code has the tones of the whole", () => {
  const text = `\`\`\`ts\n/*\n${"const a = 1;\n".repeat(40)}*/\nconst b = 2;\n\`\`\``;
  const tones = (items: readonly ViewItem[]): readonly string[] =>
    rowsOf(items, 79).map((row) => row.map((part) => part.tone).join());
  expect(tones(stream(text, sizes).items)).toEqual(tones([{ kind: "reply", text, continues: false }]));
});

test.each([1, 7])("long paragraphs keep their blank rows on a small screen, in pieces of %d", (pieceLength) => {
  const paragraphs = Array.from({ length: 12 }, (_, index) => `Paragraph ${index}: ${"some words ".repeat(9).trim()}.`);
  const text = ["# Heading", ...paragraphs].join("\n\n");
  for (const size of [
    { width: 39, budget: 7 },
    { width: 39, budget: 5 },
    { width: 19, budget: 5 },
  ])
    expect(shown(stream(text, size, pieceLength).items, size.width)).toBe(whole(text, size.width));
});

test("a finished block leaves the live part as soon as the next one has a complete line or follows a blank one", () => {
  const { items, blocks } = stream("one\n\ntwo\n", sizes, 1);
  expect(items.map((item) => "text" in item && item.text)).toEqual(["one", "two"]);
  expect(blocks.map(({ text }) => text)).toEqual(["two\n"]);
  expect(stream("one\n\ntw", sizes, 1).blocks.map(({ text }) => text)).toEqual(["tw"]);
  expect(stream("- one\n\ntw", sizes, 1).blocks.map(({ text }) => text)).toEqual(["tw"]);
  expect(stream("one\ntw", sizes, 1).blocks.map(({ text }) => text)).toEqual(["one\ntw"]);
});

const pieces = fc.constantFrom(
  "- ",
  "  - ",
  "1. ",
  "> ",
  "# ",
  "```\n",
  "```ts\n",
  "|a|b|\n|-|-|\n",
  "|x|y|\n",
  "\n",
  "\n",
  "\n\n",
  "   ",
  "**",
  "*",
  "`",
  "word ",
  "日本 ",
  "👩‍👩‍👧‍👦",
  "\ud800",
  "%_",
  "</human>",
  "<b>\n",
  "---\n",
  "[a](b)",
  "many words that go on ",
);

test("no text is lost or duplicated, however it is split", () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 120 }), fc.integer({ min: 1, max: 30 }), (parts, pieceLength) => {
      const text = parts.join("").trim();
      const { items } = stream(text, { width: 39, budget: 4 }, pieceLength);
      const kept = items.map((item) => ("text" in item ? item.text : "")).join("");
      expect(kept.replaceAll(/\s/g, "")).toBe(text.replaceAll(/\s/g, ""));
    }),
    { numRuns: 400 },
  );
});

test("a marker in a model's text is plain text", () => {
  const { items } = stream("- \ufdd09\ufdd0secret\n- b", sizes, 1);
  expect(shown(items, 79)).toBe("\n● • \ufffd9\ufffdsecret\n  • b");
});

test.each([
  ["one endless line", "word ".repeat(50_000)],
  ["one endless word", "a".repeat(250_000)],
  ["endless code", `\`\`\`ts\n${"const a = 1;\n".repeat(10_000)}`],
  ["an endless list", "- item\n".repeat(10_000)],
])("%s at once is split in linear time, without loss", (_title, text) => {
  const { items, maxLive } = stream(text, sizes, text.length);
  expect(maxLive).toBeLessThanOrEqual(sizes.budget);
  const kept = items.map((item) => ("text" in item ? item.text : "")).join("");
  expect(kept.replaceAll(/\s/g, "").length).toBe(text.replaceAll(/\s/g, "").length);
});
