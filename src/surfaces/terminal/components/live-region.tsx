// What is below the finished items and may still change: the reply, the agent's work, and the prompt or a dialog.
// Invariant: it is always shorter than the screen: rows that have scrolled off it cannot be changed.
import { Box, useCursor } from "ink";
import { type ReactNode, useInsertionEffect, useMemo } from "react";
import { runningCalls } from "../../../agent/fold-turn.ts";
import { commands } from "../commands/registry.ts";
import { candidatesOf } from "../input/completion.ts";
import { promptRows } from "../rows/prompt-rows.ts";
import { blockRows } from "../rows/stream-tail.ts";
import type { CursorPosition } from "../screen/frame-diff.ts";
import { contentWidth, type ShownDialog, tailBudget, type ViewState } from "../view/chat-view.ts";
import { Activity } from "./activity.tsx";
import { dialogFootRows } from "./dialog-foot-rows.ts";
import { Queue } from "./queue.tsx";
import { maxCalls, RunningCalls } from "./running-calls.tsx";
import { KeyHints, StatusLine } from "./status-line.tsx";
import { Suggestions } from "./suggestions.tsx";
import { OneRow, Rows } from "./toned.tsx";

export interface LiveRegionProps {
  readonly state: ViewState;
  readonly now: Date;
  /** Receives the number of rows at the top that continue the finished items, before they are drawn. */
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
  const max = maxRows(state);
  const maxPrompt = Math.max(1, Math.min(10, Math.floor(max / 3)));
  const prompt = promptRows(state.editor, { width: contentWidth(state.size), max: maxPrompt });
  const hasHints = max >= 8;
  const footRows = hasHints ? 2 : 1;
  const candidates = candidatesOf(state, commands);
  const menuRows = Math.min(candidates.length, Math.max(0, Math.min(6, max - prompt.rows.length - footRows - 4)));
  return (
    <BelowWork {...props} max={max - prompt.rows.length - menuRows - footRows} cursor={prompt.cursor}>
      <Rows rows={prompt.rows} />
      <Suggestions candidates={candidates} chosen={state.chosen} max={menuRows} />
      <StatusLine state={state} />
      {hasHints ? <KeyHints state={state} /> : null}
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
  /** Rows for the reply and the work: their last ones, if they have more. */
  readonly max: number;
  /** Relative to the children. */
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
  const workRows = Math.min(maxCalls, calls.length) + (activity === null ? 0 : 1) + (queue.length === 0 ? 0 : 1) + 1;
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
            {activity === null ? null : <Activity activity={activity} progress={state.progress} now={now} />}
            <Queue inputs={queue} />
            <OneRow> </OneRow>
          </Box>
        </Box>
      )}
      {children}
    </Box>
  );
}

/** Returns how many rows the live region may have. */
function maxRows({ size }: ViewState): number {
  return Math.max(3, size.rows - 2);
}
