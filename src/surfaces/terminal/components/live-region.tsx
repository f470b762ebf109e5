// Draws the live region below the finished items: what may still change, such as the reply, the work and the prompt.
// Invariant: the region is always shorter than the screen, because rows that have scrolled off the screen cannot be changed.
import { Box, useCursor } from "ink";
import { type ReactNode, useInsertionEffect, useMemo, useRef } from "react";
import { runningCalls, type TurnCall } from "../../../agent/fold-turn.ts";
import { surfaceText } from "../../surface-words.ts";
import { commands } from "../commands/registry.ts";
import { spinnerMs } from "../frames.ts";
import { candidatesOf, selectedOf } from "../input/completion.ts";
import { callRow } from "../rows/item-rows.ts";
import { promptRows } from "../rows/prompt-rows.ts";
import { type Row, rowWidth, type Span, span } from "../rows/row.ts";
import { fitted, hintRow, joined, statusRow } from "../rows/status-rows.ts";
import { blockRows } from "../rows/stream-tail.ts";
import { suggestionRows } from "../rows/suggestion-rows.ts";
import { flatText, screenText, truncateRow, wrapText } from "../rows/wrap.ts";
import type { CursorPosition } from "../screen/frame-diff.ts";
import { contentWidth, type ShownDialog, tailBudget, type ViewState } from "../view/chat-view.ts";
import { progressTexts, type WorkProgress } from "../view/work-progress.ts";
import { OneRow, RowLine, Rows } from "./toned.tsx";

interface LiveRegionProps {
  readonly state: ViewState;
  readonly now: Date;
  /** Called before each drawing with the number of rows of the reply, which are at the top of the live region. */
  onReply(rows: number): void;
}

export function LiveRegion({ state, ...others }: LiveRegionProps) {
  const { dialog } = state;
  return dialog === null ? (
    <PromptView state={state} {...others} />
  ) : (
    <DialogView state={{ ...state, activity: null }} shown={dialog} {...others} />
  );
}

function PromptView(props: LiveRegionProps) {
  const { state } = props;
  const { status, statusLine } = state;
  const width = contentWidth(state.size);
  const max = maxRows(state);
  const maxPrompt = Math.max(1, Math.min(10, Math.floor(max / 3)));
  const prompt = promptRows(state.editor, { width, max: maxPrompt });
  const hasHints = max >= 8;
  const footRows = hasHints ? 2 : 1;
  const candidates = candidatesOf(state, commands);
  const selected = selectedOf(state, candidates);
  const menu = suggestionRows(candidates, selected, Math.max(0, max - prompt.rows.length - footRows - 4));
  return (
    <BelowWork {...props} max={max - prompt.rows.length - menu.length - footRows} cursor={prompt.cursor}>
      <Rows rows={prompt.rows} />
      <Rows rows={menu} />
      <RowLine row={statusLine === null ? statusRow(status, width) : [span(screenText(statusLine), "faint")]} />
      {hasHints ? <RowLine row={hintRow(state, width)} /> : null}
    </BelowWork>
  );
}

function DialogView({ shown, ...props }: LiveRegionProps & { readonly shown: ShownDialog }) {
  const max = maxRows(props.state);
  const foot = dialogFootRows(shown, { state: props.state, max });
  const space = { width: contentWidth(props.state.size), max: max - foot.length, now: props.now };
  const { rows, cursor } = shown.dialog.draw(space);
  return (
    <BelowWork {...props} max={max - rows.length - foot.length} cursor={cursor}>
      <Rows rows={rows} />
      <Rows rows={foot} />
    </BelowWork>
  );
}

interface BelowWorkProps extends LiveRegionProps {
  /** Maximum rows for the reply and the work. If they have more rows, only the last rows are shown. */
  readonly max: number;
  /** The position of the cursor, counted from the first row of the children; undefined for a hidden cursor. */
  readonly cursor: CursorPosition | undefined;
  readonly children: ReactNode;
}

function BelowWork({ state, now, onReply, max, cursor, children }: BelowWorkProps) {
  const { blocks, size, activity, queue } = state;
  const calls = runningCalls(state.turn);
  const reply = useMemo(
    () => blocks.flatMap((block) => blockRows(block, contentWidth(size), tailBudget(size))),
    [blocks, size],
  );
  const queued = queueRows(queue, max < 8 ? 1 : maxQueued, contentWidth(size));
  const workRows = Math.min(maxCalls, calls.length) + (activity === null ? 0 : 1) + queued.length + 1;
  const height = Math.max(0, Math.min(reply.length + workRows, max));
  useInsertionEffect(() => onReply(Math.max(0, height - workRows)));
  useCursor().setCursorPosition(cursor && { x: cursor.x, y: cursor.y + height });
  return (
    <Box flexDirection="column" width={contentWidth(size)}>
      {height === 0 ? null : (
        <Box flexDirection="column" height={height} flexShrink={0} justifyContent="flex-end" overflowY="hidden">
          <Box flexDirection="column" flexShrink={0}>
            <Rows rows={reply} />
            <RunningCalls calls={calls} width={contentWidth(size)} />
            {activity === null ? null : (
              <Activity {...{ activity, now }} progress={state.progress} width={contentWidth(size)} />
            )}
            <Rows rows={queued} />
            <OneRow> </OneRow>
          </Box>
        </Box>
      )}
      {children}
    </Box>
  );
}

function maxRows({ size }: ViewState): number {
  return Math.max(3, size.rows - 2);
}

const maxCalls = 2;
const maxQueued = 3;

/** Shows the newest tool calls without a result, one row each. */
function RunningCalls({ calls, width }: { readonly calls: readonly TurnCall[]; readonly width: number }) {
  return calls.slice(-maxCalls).map((call) => <RowLine key={call.callId} row={callRow(call, width)} />);
}

/** Renders the next `max` queued inputs, one row each. The last row ends with the number of inputs that are not shown. */
function queueRows(queue: readonly string[], max: number, width: number): readonly Row[] {
  const next = queue.slice(0, max);
  return next.map((input, at) => {
    const isLast = at === max - 1 && queue.length > max;
    const more = isLast ? ` (and ${queue.length - max} more)` : "";
    const row = [span(`${at === 0 ? "next: " : "      "}${flatText(input)}`, "faint")];
    return [...truncateRow(row, width - more.length), span(more, "faint")];
  });
}

/** Returns the rows below a dialog: its last failure, then its keys or current work. At most 5 rows, and fewer than `max`. */
function dialogFootRows(
  { dialog, activity, failure }: ShownDialog,
  { state, max }: { readonly state: ViewState; readonly max: number },
): readonly Row[] {
  const width = contentWidth(state.size);
  const hints = activity === null ? dialog.hints : [`${activity}…`, "Esc interrupt"];
  const failed =
    failure === null
      ? []
      : wrapText(surfaceText(failure, "chat", state.command), "failure", { width, lead: [span("✗ ", "failure")] });
  return [...failed.slice(0, Math.min(4, max - 2)), fitted(hints, width)];
}

const spinner = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

interface ActivityProps {
  readonly activity: string;
  readonly progress: WorkProgress | null;
  readonly now: Date;
  readonly width: number;
}

/**
 * Shows what the agent does: `⠋ replying… 12 s · 340 tokens · Esc`. If the row is too wide, `replying…` is cut. The numbers
 * change only when the spinner turns: if they changed in each frame, the terminal would get more bytes for them than for the
 * reply.
 */
function Activity({ activity, progress, now, width }: ActivityProps) {
  const turns = Math.floor(now.getTime() / spinnerMs);
  const shown = useRef({ turns, progress, now });
  if (turns !== shown.current.turns || progress === null || shown.current.progress === null)
    shown.current = { turns, progress, now };
  const numbers = joined([...numbersOf(shown.current), span("Esc", "faint")]);
  const room = Math.max(12, width - 3 - rowWidth(numbers));
  const what = truncateRow([span(`${activity}…`, "faint")], room);
  return <RowLine row={[span(`${spinner[turns % spinner.length]} `, "accent"), ...what, span(" "), ...numbers]} />;
}

function numbersOf({ progress, now }: Pick<ActivityProps, "progress" | "now">): readonly Span[] {
  if (progress === null) return [];
  const { time, tokens, stall } = progressTexts(progress, now.getTime());
  const numbers = [time, tokens].filter((text) => text !== null).map((text) => span(text, "faint"));
  return stall === null ? numbers : [...numbers, span(stall, "warning")];
}
