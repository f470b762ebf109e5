// Renders the live region: streaming text, the running call, the prompt and the status.
// Invariant: it is always shorter than the screen: rows that have scrolled off it cannot be changed.
import { largest } from "../../base/extremes.ts";
import { surfaceText } from "../../surface-words.ts";
import { contentWidth, type ShownDialog, tailBudget, type ViewState } from "../view/chat-view.ts";
import { candidatesOf, type CommandHint } from "../input/completion.ts";
import { callRow } from "./item-rows.ts";
import { type CursorPosition, promptRows } from "./prompt-rows.ts";
import { type Row, span } from "./row.ts";
import { fitted, hintRow, joined, statusRow } from "./status-rows.ts";
import { progressTexts } from "../view/work-progress.ts";
import { blockRows } from "./stream-tail.ts";
import { widthOf } from "./text-width.ts";
import { screenText, truncateRow, wrapText } from "./wrap.ts";

const spinnerFrames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

export interface LiveRows {
  readonly rows: readonly Row[];
  /** The cursor, relative to the first row and column of the region; undefined without a text input. */
  readonly cursor: CursorPosition | undefined;
}

/** The inputs that change with time. */
export interface Frame {
  /** Counts up while the agent works and turns the spinner. */
  readonly tick: number;
  readonly now: Date;
}

/** Renders the live region. */
export function liveRows(state: ViewState, commands: readonly CommandHint[], frame: Frame): LiveRows {
  const width = contentWidth(state.size);
  const max = Math.max(3, state.size.rows - 2);
  const { dialog } = state;
  return dialog === null
    ? promptView(state, commands, { width, max, ...frame })
    : dialogView(state, dialog, { width, max, ...frame });
}

function promptView(
  state: ViewState,
  commands: readonly CommandHint[],
  { width, max, tick, now }: Space & Frame,
): LiveRows {
  const prompt = promptRows(state.editor, { width, max: Math.max(1, Math.min(10, Math.floor(max / 3))) });
  const foot = max >= 8 ? [statusRow(state.status, width), hintRow(state, width)] : [statusRow(state.status, width)];
  const below = [
    ...menuRows(state, commands, {
      width,
      max: Math.max(0, Math.min(6, max - prompt.rows.length - foot.length - 4)),
    }),
    ...foot,
  ];
  const room = max - prompt.rows.length - below.length;
  const above = aboveRows(state, { width, max: room, tick, now });
  return {
    rows: [...above, ...prompt.rows, ...below],
    cursor: { x: prompt.cursor.x, y: prompt.cursor.y + above.length },
  };
}

function dialogView(
  state: ViewState,
  { dialog, activity, failure }: ShownDialog,
  { width, max, tick, now }: Space & Frame,
): LiveRows {
  const hints = activity === null ? dialog.hints : [`${activity}…`, "Esc interrupt"];
  const failed =
    failure === null
      ? []
      : wrapText(surfaceText(failure, "chat", state.command), "failure", { width, lead: [span("✗ ", "failure")] });
  const foot = [...failed.slice(0, Math.min(4, max - 2)), fitted(hints, width)];
  const { rows, cursor } = dialog.draw({ width, max: max - foot.length, now });
  const above = lastRows(
    aboveRows({ ...state, activity: null }, { width, max, tick, now }),
    max - rows.length - foot.length,
  );
  return {
    rows: [...above, ...rows, ...foot],
    cursor: cursor === undefined ? undefined : { x: cursor.x, y: cursor.y + above.length },
  };
}

interface Space {
  readonly width: number;
  readonly max: number;
}

/** Renders the part above the prompt; only its last rows if there is little room. */
function aboveRows(state: ViewState, { width, max, tick, now }: Space & Frame): readonly Row[] {
  const text = state.blocks.flatMap((block) => blockRows(block, width, tailBudget(state.size)));
  const calls = state.calls.slice(-2).map((call) => callRow(call, width));
  const foot = [...calls, ...workingRows(state, { width, tick, now }), ...queueRows(state, width), []];
  return lastRows([...text, ...foot], max);
}

function lastRows(rows: readonly Row[], max: number): readonly Row[] {
  return rows.slice(Math.max(0, rows.length - Math.max(0, max)));
}

/** Renders `⠋ replying… 12 s · 340 tokens · Esc`. */
function workingRows(state: ViewState, { width, tick, now }: Pick<Space, "width"> & Frame): readonly Row[] {
  if (state.activity === null) return [];
  const frame = spinnerFrames[tick % spinnerFrames.length] ?? "";
  const { progress } = state;
  const { time, tokens, stall } =
    progress === null ? { time: null, tokens: null, stall: null } : progressTexts(progress, now.getTime());
  const parts = [
    ...[time, tokens].flatMap((text) => (text === null ? [] : [span(text, "faint")])),
    ...(stall === null ? [] : [span(stall, "warning")]),
    span("Esc", "faint"),
  ];
  const head = [span(`${frame} `, "accent"), span(`${state.activity}… `, "faint")];
  return [truncateRow([...head, ...joined(parts)], width)];
}

function queueRows(state: ViewState, width: number): readonly Row[] {
  const [next] = state.queue;
  if (next === undefined) return [];
  const more = state.queue.length > 1 ? ` (and ${state.queue.length - 1} more)` : "";
  return [truncateRow([span(`next: ${next.replaceAll("\n", " ")}${more}`, "faint")], width)];
}

/** Renders the suggestions for the typed text; only those around the selected one if there is little room. */
function menuRows(state: ViewState, commands: readonly CommandHint[], { width, max }: Space): readonly Row[] {
  const candidates = candidatesOf(state, commands);
  if (max === 0) return [];
  const room = candidates.length > max ? max - 1 : candidates.length;
  const first = Math.max(0, (state.chosen ?? 0) - room + 1);
  const widest = largest(
    candidates.slice(first, first + room).map(({ label }) => Math.min(40, widthOf(label))),
    18,
  );
  const rows = candidates.slice(first, first + room).map(({ label, summary }, index) => {
    const isChosen = first + index === state.chosen;
    const padding = " ".repeat(Math.max(0, widest - widthOf(label)) + 1);
    const name = screenText(label);
    return truncateRow(
      [
        span(isChosen ? "› " : "  ", "accent"),
        span(`${name}${padding}`, isChosen ? "strong" : "plain"),
        span(summary, "faint"),
      ],
      width,
    );
  });
  const hidden = candidates.length - room;
  return hidden === 0 ? rows : [...rows, truncateRow([span(`  … ${hidden} more`, "faint")], width)];
}
