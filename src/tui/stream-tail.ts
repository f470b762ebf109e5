// The text that streams in: kept in the live region while it is short, and moved to the finished part row by row as it grows.
// Invariant: what is live is never more than the budget of rows, so that the live region stays shorter than the screen.
import { itemRows } from "./item-rows.ts";
import { markdownSpans } from "./markdown.ts";
import { rowText } from "./row.ts";
import type { ViewItem } from "./view-item.ts";
import { screenText, wrapText } from "./wrap.ts";

/** A piece of the answer that is still growing. */
export interface LiveBlock {
  readonly kind: "reply" | "thought";
  readonly text: string;
  /** Its beginning stands in the finished part already. */
  readonly continues: boolean;
  readonly fenced: boolean;
}

export interface TailSize {
  readonly width: number;
  /** Rows that live text may take. */
  readonly budget: number;
}

/** The blocks with a delta added: to the last one if it is of that kind, else as a new one. */
export function appendDelta(
  blocks: readonly LiveBlock[],
  kind: LiveBlock["kind"],
  delta: string,
): readonly LiveBlock[] {
  const last = blocks.at(-1);
  if (last?.kind === kind) return [...blocks.slice(0, -1), { ...last, text: last.text + screenText(delta) }];
  const text = screenText(delta).trimStart();
  return text === "" ? blocks : [...blocks, { kind, text, continues: false, fenced: false }];
}

/** The block as the item that it becomes. */
export function blockItem(block: LiveBlock): ViewItem {
  const { kind, text, continues, fenced } = block;
  return kind === "reply" ? { kind, text, continues, fenced } : { kind, text, continues };
}

/** All blocks as items, when nothing more will be added to them. */
export function settleBlocks(blocks: readonly LiveBlock[]): readonly ViewItem[] {
  return blocks
    .map((block) => ({ ...block, text: block.text.trimEnd() }))
    .filter((block) => block.text !== "")
    .map(blockItem);
}

/** Moves rows from the top of the blocks to items until the rest fits the budget. */
export function settleOverflow(
  blocks: readonly LiveBlock[],
  size: TailSize,
): { readonly settled: readonly ViewItem[]; readonly blocks: readonly LiveBlock[] } {
  const settled: ViewItem[] = [];
  let rest = blocks;
  while (rest.length > 1 && countRows(rest, size) > size.budget) {
    settled.push(...settleBlocks(rest.slice(0, 1)));
    rest = rest.slice(1);
  }
  const [block] = rest;
  if (rest.length !== 1 || block === undefined || countRows(rest, size) <= size.budget)
    return { settled, blocks: rest };
  const at = cutOffset(block, size);
  if (at === 0) return { settled, blocks: rest };
  const done: LiveBlock = { ...block, text: block.text.slice(0, at).replace(/\n$/, "") };
  const { fenced } = markdownSpans(done.text, { fenced: block.fenced });
  settled.push(blockItem(done));
  return { settled, blocks: [{ ...block, text: block.text.slice(at), continues: true, fenced }] };
}

function countRows(blocks: readonly LiveBlock[], size: TailSize): number {
  return blocks.reduce((sum, block) => sum + itemRows(blockItem(block), size.width).length, 0);
}

/** Where to cut: after as many whole lines as needed, or, when the last line alone is too long, after a row of it. */
function cutOffset(block: LiveBlock, size: TailSize): number {
  let offset = 0;
  for (;;) {
    const rest = { ...block, text: block.text.slice(offset), continues: true };
    if (countRows([rest], size) <= size.budget) return offset;
    const lineEnd = block.text.indexOf("\n", offset);
    if (lineEnd === -1) return offset + longLineOffset(rest.text, size);
    offset = lineEnd + 1;
  }
}

function longLineOffset(line: string, size: TailSize): number {
  const rows = wrapText(line, "plain", { width: size.width - 2 }).map(rowText);
  let offset = 0;
  for (const row of rows.slice(0, Math.max(0, rows.length - size.budget))) {
    offset = line.indexOf(row, offset) + row.length;
  }
  while (line[offset] === " ") offset += 1;
  return offset;
}
