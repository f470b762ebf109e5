// Finds the places where a streamed Markdown text can be split: between its blocks, and within the last block.
// Invariant: the concatenated parts are the text; the cut does not change how the second part is drawn, because its
// opening begins the containers that surround the cut (a list, a fenced block, a table). An opening is never drawn.
import { appendAll } from "../../../base/lists.ts";
import type { Token, Tokens } from "marked";
import { carriedNumber, continuationMark, markedItem } from "./continuation-mark.ts";
import { parseMarkdown } from "../../markdown/parse-markdown.ts";
import { continuedHead } from "./table-rows.ts";

/** Maximum UTF-16 units of code that an opening repeats, so that a multi-line comment keeps its colour after a cut. */
const carriedCode = 4_000;

export interface MarkdownCut {
  /** UTF-16 offset of the cut. */
  readonly offset: number;
  /** Returns the source to parse before the text after the cut. */
  readonly opening: () => string;
}

/** A text with the source to parse before it. */
export interface MarkdownPart {
  readonly opening: string;
  readonly text: string;
}

/**
 * Returns the UTF-16 length of the blocks that further text cannot change: those before the last block. An unfinished
 * last line does not count as a block unless the block before it has ended.
 */
export function finishedLength({ opening, text }: MarkdownPart): number {
  const complete = beforeLast(opening + text.slice(0, text.lastIndexOf("\n") + 1));
  const source = opening + text;
  const all = beforeLast(source);
  const length = hasEnded(all, source) ? all.length : complete.length;
  return Math.max(0, length - opening.length);
}

interface BlocksBefore {
  readonly length: number;
  /** The last block before the text's last block. Blank lines are not blocks. */
  readonly last?: Token | undefined;
}

/** Returns the blocks before the last block of a text; length 0 if the parser has changed the source. */
function beforeLast(source: string): BlocksBefore {
  const tokens = parseMarkdown(source);
  const lengthOf = (some: readonly Token[]): number => some.reduce((length, { raw }) => length + raw.length, 0);
  if (lengthOf(tokens) !== source.length) return { length: 0 };
  const before = tokens.slice(
    0,
    Math.max(
      0,
      tokens.findLastIndex(({ type }) => type !== "space"),
    ),
  );
  return { length: lengthOf(before), last: before.findLast(({ type }) => type !== "space") };
}

/** Whether further text can no longer become a part of the last of these blocks. */
function hasEnded({ last, length }: BlocksBefore, source: string): boolean {
  if (last?.type === "list") return /^[^\s\d*+-]/u.test(source.slice(length));
  if (last?.type === "paragraph") return /\n\s*\n$/u.test(source.slice(0, length));
  return ["code", "table", "blockquote", "heading", "hr"].includes(last?.type ?? "");
}

/** Returns the places where the first block of the part can be cut, in order. */
export function blockCuts({ opening, text }: MarkdownPart): readonly MarkdownCut[] {
  const source = opening + text;
  const token = parseMarkdown(source).find(({ type }) => type !== "space");
  if (token === undefined) return [];
  const lines = source.split("\n");
  const cuts: MarkdownCut[] = [];
  let start = -opening.length;
  const starts = lines.map((line) => {
    const at = start;
    start += line.length + 1;
    return at;
  });
  for (const { line, opening: behind } of lineCuts(token, lines)) {
    const offset = starts[line] ?? 0;
    if (offset > (cuts.at(-1)?.offset ?? 0)) cuts.push({ offset, opening: behind });
  }
  return cuts;
}

/** Returns the opening for the rest of a part that is cut within its first line; null if that line cannot be cut. */
export function lineOpening({ opening, text }: MarkdownPart): string | null {
  const token = parseMarkdown(opening + text).find(({ type }) => type !== "space");
  const codeMargin = markedLine.exec(opening)?.[1];
  if (codeMargin !== undefined) return `${opening}${codeMargin}${continuationMark}`;
  if (token === undefined || token.type === "table" || token.type === "code") return null;
  if (token.type !== "list") return token.type === "blockquote" ? `> ${continuationMark}` : continuationMark;
  const [prefix = ""] = listPrefix.exec(text) ?? [];
  const { ordered, items } = token as Tokens.List;
  const isOwnItem = /^\d{1,9}[.)] {1,4}$/.test(prefix);
  const number = ordered && isOwnItem ? firstNumber(token as Tokens.List) + items.length - 1 : null;
  return `${opening}${prefix}${markedItem(number)}`;
}

const listPrefix = /^ {0,80}(?:(?:[-*+]|\d{1,9}[.)]) {1,4}){0,6}/;
/** Matches the last line of an opening that ends within a code block. */
const markedLine = new RegExp(`(?:^|\n)( {0,80})${continuationMark}\n$`);

interface LineCut {
  readonly line: number;
  readonly opening: () => string;
}

function lineCuts(token: Token, lines: readonly string[]): readonly LineCut[] {
  switch (token.type) {
    case "code":
      return codeCuts({ lines, from: 0, behind: "" }, lines.length);
    case "table":
      return everyLine(lines, { first: 3, opening: (line) => tableOpening(lines.slice(0, line)) });
    case "list":
      return listCuts(token as Tokens.List, { lines, from: 0, behind: "" });
    case "blockquote":
      return everyLine(lines, { first: 1, opening: () => `> ${continuationMark}\n` });
    default:
      return everyLine(lines, { first: 1, opening: () => continuationMark });
  }
}

function everyLine(
  lines: readonly string[],
  { first, opening }: { readonly first: number; readonly opening: (line: number) => string },
): readonly LineCut[] {
  return lines.slice(first).map((_, index) => ({ line: first + index, opening: () => opening(first + index) }));
}

function tableOpening(head: readonly string[]): string {
  const table = parseMarkdown(head.join("\n")).find(({ type }) => type === "table");
  return table === undefined ? "" : continuedHead(table as Tokens.Table);
}

/** A block that begins at the line `from`, inside other blocks such as list items. */
interface Place {
  readonly lines: readonly string[];
  readonly from: number;
  /** Source that opens the blocks around this block. */
  readonly behind: string;
}

function codeCuts({ lines, from, behind }: Place, to: number): readonly LineCut[] {
  const fence = lines[from] ?? "";
  const [margin = ""] = /^ */.exec(fence) ?? [];
  const isFenced = /^ *(?:```|~~~)/.test(fence);
  const cuts: LineCut[] = [];
  // There is no cut before the first line of the code, because a fence without code has no row.
  for (let line = from + 2; line < to; line += 1) {
    const opening = (): string => {
      if (!isFenced) return `${behind}${margin}${continuationMark}\n`;
      const before = carriedLines(lines, { from: from + 1, to: line });
      return `${behind}${[fence, ...before, margin + continuationMark].join("\n")}\n`;
    };
    cuts.push({ line, opening });
  }
  return cuts;
}

function carriedLines(lines: readonly string[], { from, to }: { readonly from: number; readonly to: number }) {
  let first = to;
  let length = 0;
  while (first > from) {
    length += (lines[first - 1] ?? "").length + 1;
    if (length > carriedCode) break;
    first -= 1;
  }
  return lines.slice(first, to).filter((line) => !line.includes(continuationMark));
}

const listMark = /^( {0,80})([-*+]|\d{1,9}[.)])( {1,4}|$)/;

/** Returns cuts before each item of a list and of its nested lists, and before the second and later lines of an item. */
function listCuts(list: Tokens.List, { lines, from, behind }: Place): readonly LineCut[] {
  const cuts: LineCut[] = [];
  let line = from;
  let opening = behind;
  let number = firstNumber(list);
  for (const item of list.items) {
    const mark = listMark.exec(lines[line] ?? "");
    // The lines do not match the tokens. The list is not cut here, because a wrong cut would change how it is drawn.
    if (mark === null) return cuts;
    const before = opening;
    cuts.push({ line, opening: () => before });
    const own = behind + itemOpening(mark, list.ordered ? number : null);
    appendAll(cuts, itemCuts(item, { lines, from: line, behind: own }));
    opening = own;
    number += 1;
    line += lineBreaks(item.raw);
  }
  return cuts;
}

function itemCuts(item: Tokens.ListItem, { lines, from, behind }: Place): readonly LineCut[] {
  const cuts: LineCut[] = [];
  let line = from;
  for (const child of item.tokens) {
    const to = line + lineBreaks(child.raw.trimEnd()) + 1;
    // There is no cut before a block that begins on the item's own line.
    if (child.type === "list" && line > from) {
      appendAll(cuts, listCuts(child as Tokens.List, { lines, from: line, behind }));
    } else if (child.type === "code" && line > from) {
      appendAll(cuts, [{ line, opening: () => `${behind}\n` }, ...codeCuts({ lines, from: line, behind }, to)]);
    } else if (child.type !== "space" && child.type !== "table") {
      if (line > from) cuts.push({ line, opening: () => `${behind}\n` });
      for (let at = line + 1; at < to; at += 1) cuts.push({ line: at, opening: () => behind });
    }
    line += lineBreaks(child.raw);
  }
  return cuts;
}

/** Returns source that opens a list item without drawing it. `number` may differ from the number in the source. */
function itemOpening([, margin = "", bullet = "-", gap = " "]: readonly string[], number: number | null): string {
  return `${margin}${bullet}${gap === "" ? " " : gap}${markedItem(number)}\n`;
}

function firstNumber(list: Tokens.List): number {
  return carriedNumber(list.items[0]?.text ?? "") ?? (list.start === "" ? 1 : list.start);
}

function lineBreaks(text: string): number {
  return text.split("\n").length - 1;
}
