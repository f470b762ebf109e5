// Renders each finished item of a chat as rows.
// Invariant: pure, and no row is wider than the width.
import { codePointLength, takeCodePoints } from "../../../base/code-points.ts";
import { parseObject } from "../../../base/json-values.ts";
import { diffLines, type LineChange } from "../../../base/line-diff.ts";
import { markdownRows } from "../markdown/markdown-rows.ts";
import type { NoticeLevel, Paragraph, ViewItem, ViewItemKind } from "../view/view-item.ts";
import { secondsLabel } from "./labels.ts";
import { lineTones, type Row, rowWidth, span, type Tone } from "./row.ts";
import { windowRows } from "./window-rows.ts";
import { oneLine, truncateRow, wrapSpans, wrapText } from "./wrap.ts";

const resultRows = 4;
const changeRows = 8;
/** Minimum columns of a paragraph that is wrapped beside its `lead`. */
const minBeside = 24;
/** Number of rows that are shown of each end of a shell command's long output. */
const shellRowsEach = 10;
/** A text is cut to this many code points before it is wrapped. The shown rows contain far fewer. */
const clippedLength = 4_000;

type RowsOf = {
  readonly [Kind in ViewItemKind]: (item: Extract<ViewItem, { kind: Kind }>, width: number) => readonly Row[];
};

const blank: Row = [];

const rowsOf: RowsOf = {
  user: ({ text, isPast }, width) => [
    blank,
    ...wrapText(text, isPast === true ? "faint" : "strong", {
      width,
      lead: [span("> ", isPast === true ? "faint" : "accent")],
    }),
  ],
  reply: ({ text, continues, opening = "", isPast }, width) => {
    const tone: Tone = isPast === true ? "faint" : "plain";
    const rows = markdownRows(opening + text, { width: width - 2, tone });
    const margin = rows.map((row, index): Row => {
      if (index === 0 && !continues) return [span("● ", tone === "faint" ? "faint" : "accent"), ...row];
      return row.length === 0 ? blank : [span("  "), ...row];
    });
    return rows.length === 0 || opening !== "" ? margin : [blank, ...margin];
  },
  thought: (item, width) => [blank, ...thoughtRows(item, width)],
  "tool-call": (item, width) => [callRow(item, width)],
  "tool-result": ({ status, text }, width) => {
    const tone: Tone = status === "failed" ? "failure" : "faint";
    const rows = wrapText(takeCodePoints(text.trim(), clippedLength), tone === "failure" ? "removed" : tone, {
      width,
      lead: [span("  ⎿ ", tone)],
    });
    return clipRows(rows, resultRows, "    ");
  },
  "shell-output": (item, width) => shellRows(item, width),
  "memory-edit": (item, width) => memoryEditRows(item, width),
  approval: (item, width) => approvalRows(item, width),
  notice: ({ level, text, advice }, width) => {
    const rows = wrapText(text, noticeTones[level], {
      width,
      lead: [span(`${noticeMarks[level]} `, noticeTones[level])],
    });
    return advice === undefined ? rows : [...rows, ...wrapText(advice, "faint", { width, lead: [span("  ")] })];
  },
  window: ({ report, steps }, width) => [blank, ...windowRows(report, steps, width)],
  panel: ({ paragraphs, isCut }, width) => [
    blank,
    ...paragraphs.flatMap((paragraph) => paragraphRows(paragraph, { width, isCut: isCut === true })),
  ],
};

const noticeTones: Readonly<Record<NoticeLevel, Tone>> = { note: "faint", warning: "warning", failure: "failure" };
const noticeMarks: Readonly<Record<NoticeLevel, string>> = { note: "·", warning: "!", failure: "✗" };

/** Renders an item at a width of at least 10 columns. */
export function itemRows(item: ViewItem, width: number): readonly Row[] {
  const toRows = rowsOf[item.kind] as (item: ViewItem, width: number) => readonly Row[];
  return toRows(item, Math.max(10, width));
}

/** Renders a tool call on one row, cut at the width. */
export function callRow(call: { readonly name: string; readonly arguments: string }, width: number): Row {
  const summary = summarizeArguments(call.arguments);
  return truncateRow(
    [span("⏺ ", "accent"), span(call.name, "strong"), span(summary === "" ? "" : ` ${summary}`, "faint")],
    width,
  );
}

/** Renders a changed line: `+ Name: Ada`. Keeps white space at the beginning and the end of the line. */
export function changeRow({ sign, text }: LineChange, width: number): readonly Row[] {
  const tone = sign === "+" ? "added" : "removed";
  return wrapText(takeCodePoints(text, clippedLength), tone, { width, lead: [span(`${sign} `, tone)] });
}

/** Renders a paragraph beside its `lead` if there is enough room, else below the `lead`. */
export function paragraphRows(
  { indent, lead = [], spans }: Paragraph,
  { width, isCut }: { readonly width: number; readonly isCut: boolean },
): readonly Row[] {
  const margin = [span(" ".repeat(indent))];
  const head = [...margin, ...lead];
  if (isCut) return [truncateRow([...head, ...spans], width)];
  if (rowWidth(head) <= Math.min(width / 2, width - minBeside) || rowWidth([...head, ...spans]) <= width)
    return wrapSpans(spans, { width, lead: head });
  return [truncateRow(head, width), ...wrapSpans(spans, { width, lead: [...margin, span("  ")] })];
}

function shellRows({ text, problem }: Extract<ViewItem, { kind: "shell-output" }>, width: number): readonly Row[] {
  const shown = text.trimEnd() || "(no output)";
  const rows = wrapText(shown, "plain", { width, lead: [span("  ⎿ ", "faint")] });
  const hidden = rows.length - 2 * shellRowsEach;
  const more: Row = [span(`    … ${hidden.toLocaleString("en")} more rows · Ctrl+O`, "faint")];
  const kept = hidden < 2 ? rows : [...rows.slice(0, shellRowsEach), more, ...rows.slice(-shellRowsEach)];
  return problem === null ? kept : [...kept, truncateRow([span(`    ${problem}`, "failure")], width)];
}

function memoryEditRows(item: Extract<ViewItem, { kind: "memory-edit" }>, width: number): readonly Row[] {
  const used = item.limit === null ? "" : ` ${codePointLength(item.after)}/${item.limit}`;
  const head = [span("✎ ", "accent"), span(item.label, "strong"), span(used, "faint")];
  const hint = item.hint === undefined ? [] : [span(`  ${item.hint}`, "faint")];
  const hintRows = item.hint === undefined ? [] : [truncateRow([span("  "), ...hint], width)];
  const rows = diffLines(item.before, item.after).flatMap((change) => changeRow(change, width - 4));
  const [only] = rows;
  if (rows.length === 1 && only !== undefined) {
    const joined = oneLine([...head, span("  "), ...only]);
    const hinted = oneLine([...joined, ...hint]);
    if (rowWidth(hinted) <= width) return [hinted];
    if (rowWidth(joined) <= width) return [joined, ...hintRows];
  }
  const changes = rows.map((row) => [span("    "), ...row]);
  return [truncateRow(head, width), ...clipRows(changes, changeRows, "    "), ...hintRows];
}

/** Matches a preview that consists of changed lines: a label, and below it lines after `+ ` and `- `. */
const changedLines = /^(?:[\w-]{1,64}(?:\n[+-] .*)+(?:\n|$))+$/u;

/** Renders a call in full (its edits or its arguments), because a user must see all of it before approving. */
function approvalRows(item: Extract<ViewItem, { kind: "approval" }>, width: number): readonly Row[] {
  const { toolName, arguments: asked, preview, expiresAt } = item;
  const until = expiresAt === null ? "" : ` (until ${expiresAt.toISOString().slice(0, 16).replace("T", " ")} UTC)`;
  const question = [span(toolName, "strong"), span(` waits for your approval${until}`, "warning")];
  const entries = Object.entries(parseObject(asked) ?? { "": asked });
  const shown = preview !== null && changedLines.test(preview) ? [] : entries;
  return [
    ...wrapSpans(question, { width, lead: [span("! ", "warning")] }),
    ...shown.flatMap(([name, value]) => {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return wrapText(text, "plain", { width, lead: [span(name === "" ? "  " : `  ${name}: `, "faint")] });
    }),
    ...(preview?.split("\n") ?? []).flatMap((line) => {
      const tone = lineTones[line[0] ?? ""] ?? "plain";
      const sign = tone === "plain" ? "" : line.slice(0, 2);
      return wrapText(line.slice(sign.length), tone, { width, lead: [span(`  ${sign}`, tone)] });
    }),
  ];
}

function clipRows(rows: readonly Row[], max: number, indent: string): readonly Row[] {
  if (rows.length <= max) return rows;
  return [...rows.slice(0, max), [span(`${indent}… ${rows.length - max} more rows`, "faint")]];
}

const maxLength = 400;
/** Names of arguments that are not shown, because they control the runtime, not the tool. */
const hidden = new Set(["request_heartbeat"]);

/**
 * Returns `human · "Name: Ada"` for `{"name":"human","content":"Name: Ada"}`. Returns one line for any text of the model,
 * including text that is not JSON.
 */
function summarizeArguments(text: string): string {
  return argumentWords(text).replaceAll(/\s+/g, " ").trim().slice(0, maxLength);
}

function argumentWords(text: string): string {
  const parsed = parseObject(text);
  if (parsed === undefined) return text;
  return Object.entries(parsed)
    .filter(([name, value]) => !hidden.has(name) && value !== null)
    .map(([, value]) => valueWords(value))
    .join(" · ");
}

function valueWords(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value);
  return /^[\w.-]{1,64}$/.test(value) ? value : `"${value}"`;
}

export type Thought = Extract<ViewItem, { kind: "thought" }>;

/** Renders `✻ thought for 3 s · Ctrl+T`, or the whole text if thoughts are shown. Pure. */
function thoughtRows({ text, milliseconds, isShown }: Thought, width: number): readonly Row[] {
  if (isShown) return wrapText(text, "faint", { width, lead: [span("✻ ", "faint")] });
  const time = milliseconds < 1000 ? "" : ` for ${secondsLabel(milliseconds)}`;
  return [truncateRow([span(`✻ thought${time} · Ctrl+T`, "faint")], width)];
}

/** Renders the last rows of a running thought; none while thoughts are hidden: the activity then says `thinking`. */
export function runningThoughtRows(thought: Thought, width: number, max: number): readonly Row[] {
  if (!thought.isShown || max < 1) return [];
  const end = thought.text.slice(-width * max).toWellFormed();
  return [[], ...thoughtRows({ ...thought, text: end }, width).slice(-max)];
}
