// Holds streamed text that may still change, and moves it to the finished items block by block.
// Invariant: live text never exceeds the budget of rows, so that the live region stays shorter than the screen. No text is
// lost or duplicated, and moved text is not processed again. A thought is moved in one piece, at its end.
import { appendAll } from "../../../base/lists.ts";
import { itemRows, runningThoughtRows, type Thought } from "./item-rows.ts";
import { withoutMarks } from "../markdown/continuation-mark.ts";
import { blockCuts, finishedLength, lineOpening } from "../markdown/markdown-cuts.ts";
import { type Row, rowText } from "./row.ts";
import type { ViewItem } from "../view/view-item.ts";
import { screenText, wrapText } from "./wrap.ts";

/** A part of the model's output that is still streaming. */
export type LiveBlock = ReplyBlock | Thought;

interface ReplyBlock {
  readonly kind: "reply";
  readonly text: string;
  /** Whether the beginning of the block is already a finished item. */
  readonly continues: boolean;
  /** Source that is parsed before the text but not drawn, such as the list item or fence that the text continues. */
  readonly opening: string;
}

export interface TailSize {
  readonly width: number;
  /** Maximum number of rows of live text. */
  readonly budget: number;
}

/** Returns the blocks with text of the reply added to the last block, or as a new block after a thought. */
export function appendReply(blocks: readonly LiveBlock[], delta: string): readonly LiveBlock[] {
  // In Markdown a tab may nest a list, which needs more than two columns.
  const added = screenText(withoutMarks(delta.replaceAll("\t", "    ")));
  const last = blocks.at(-1);
  if (last?.kind === "reply") return [...blocks.slice(0, -1), { ...last, text: last.text + added }];
  const text = added.trimStart();
  return text === "" ? blocks : [...blocks, { kind: "reply", text, continues: false, opening: "" }];
}

/**
 * Returns the blocks with text of a thought added to the last thought, or as a new block after a reply. `milliseconds` is the
 * time since the last delta.
 */
export function appendThought(
  blocks: readonly LiveBlock[],
  { text: delta, milliseconds, isShown }: Omit<Thought, "kind">,
): readonly LiveBlock[] {
  const added = screenText(delta);
  const last = blocks.at(-1);
  if (last?.kind === "thought") {
    const longer = { ...last, text: last.text + added, milliseconds: last.milliseconds + milliseconds };
    return [...blocks.slice(0, -1), longer];
  }
  const text = added.trimStart();
  return text === "" ? blocks : [...blocks, { kind: "thought", text, milliseconds, isShown }];
}

/** Renders a block that is still streaming; a thought takes at most `max` rows. */
export function blockRows(block: LiveBlock, width: number, max: number): readonly Row[] {
  return block.kind === "thought" ? runningThoughtRows(block, width, max) : itemRows(block, width);
}

/** Returns all blocks as items, for use at the end of the text. */
export function settleBlocks(blocks: readonly LiveBlock[]): readonly ViewItem[] {
  return blocks.map((block) => ({ ...block, text: block.text.trimEnd() })).filter((block) => block.text !== "");
}

/** Converts the finished blocks to items, and so much of the unfinished block that its rest fits into `size.budget` rows. */
export function settleFinished(
  blocks: readonly LiveBlock[],
  size: TailSize,
): { readonly settled: readonly ViewItem[]; readonly blocks: readonly LiveBlock[] } {
  const last = blocks.at(-1);
  if (last === undefined) return { settled: [], blocks };
  const settled = [...settleBlocks(blocks.slice(0, -1))];
  if (last.kind === "thought") return { settled, blocks: [last] };
  let rest = last;
  const length = finishedLength(rest);
  if (length > 0) {
    appendAll(settled, settleBlocks([{ ...rest, text: rest.text.slice(0, length) }]));
    rest = { ...rest, text: rest.text.slice(length), continues: true, opening: "" };
  }
  if (countRows(rest, size) <= size.budget) return { settled, blocks: [rest] };
  const parted = partReply(rest, size);
  return parted === null ? { settled, blocks: [rest] } : { settled: [...settled, parted[0]], blocks: [parted[1]] };
}

type Parts = readonly [done: ReplyBlock, rest: ReplyBlock];

function countRows(block: ReplyBlock, size: TailSize): number {
  return itemRows(block, size.width).length;
}

function part(block: ReplyBlock, offset: number, opening: string): Parts {
  const done = block.text.slice(0, offset).replace(/\n$/, "");
  return [
    { ...block, text: done },
    { ...block, text: block.text.slice(offset), continues: true, opening },
  ];
}

/** Splits the block at the first place after which the rest fits, else at or in its last line. Null if it cannot be split. */
function partReply(block: ReplyBlock, size: TailSize): Parts | null {
  const cuts = blockCuts(block);
  const restAt = (index: number): ReplyBlock => {
    const cut = cuts[index];
    return cut === undefined ? block : part(block, cut.offset, cut.opening())[1];
  };
  let low = 0;
  let high = cuts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (countRows(restAt(middle), size) <= size.budget) high = middle;
    else low = middle + 1;
  }
  const cut = cuts[Math.min(low, cuts.length - 1)];
  if (low < cuts.length && cut !== undefined) return part(block, cut.offset, cut.opening());
  const line = restAt(cuts.length - 1);
  const start = block.text.length - line.text.length;
  const opening = lineOpening(line);
  const within = opening === null || line.text.includes("\n") ? 0 : longLineOffset(line, size);
  if (within > 0 && opening !== null) return part(block, start + within, opening);
  return cut === undefined ? null : part(block, cut.offset, cut.opening());
}

/** Returns the offset at which a line is split: if possible at the end of a drawn row, so that later rows do not change. */
function longLineOffset(line: ReplyBlock, size: TailSize): number {
  const { text } = line;
  // Text that arrived in one long piece was not drawn before, so drawn rows need not be preserved.
  const starts = text.length > 2 * size.width * size.budget ? [] : Array.from(text.matchAll(/\s(?=\S)/gu));
  const startOf = (index: number): number => (starts[index]?.index ?? -1) + 1;
  const count = countRows(line, size) - size.budget + 1;
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (countRows({ ...line, text: text.slice(0, startOf(middle)).trimEnd() }, size) > count) high = middle;
    else low = middle + 1;
  }
  return low > 0 ? startOf(low - 1) : narrowOffset(text, size);
}

/** Returns the offset at which a text is split so that the rest fits the budget, with room for indentation and markup. */
function narrowOffset(text: string, size: TailSize): number {
  const rows = wrapText(text, "plain", { width: Math.max(10, size.width - 8) }).map(rowText);
  return rowsLength(text, rows.slice(0, Math.max(0, rows.length - size.budget + 1)));
}

/** Returns the length of the text on its first rows, in UTF-16 units. */
function rowsLength(text: string, rows: readonly string[]): number {
  let offset = 0;
  for (const row of rows) offset = text.indexOf(row, offset) + row.length;
  while (text[offset] === " " || (rows.length > 0 && text[offset] === "\n" && text[offset - 1] !== "\n")) offset += 1;
  return offset;
}
