// The live region of a chat as Ink renders it, without a terminal.
import chalk from "chalk";
import { render } from "ink";
import type { ReactNode } from "react";
import { LiveRegion } from "../../src/surfaces/terminal/components/live-region.tsx";
import { ThemeContext } from "../../src/surfaces/terminal/components/toned.tsx";
import { themes } from "../../src/surfaces/terminal/rows/theme.ts";
import { createInkStdout, type InkFrame } from "../../src/surfaces/terminal/screen/ink-stdout.ts";
import type { ViewState } from "../../src/surfaces/terminal/view/chat-view.ts";

export interface LiveFrame {
  /** The texts of the rows. */
  readonly rows: readonly string[];
  readonly cursor: InkFrame["cursor"];
  /** How many rows at the top continue the finished items. */
  readonly replyRows: number;
}

// oxlint-disable-next-line no-control-regex -- sequences for styles
const styles = /\u001b\[[\d;]*m/gu;

/** Renders the live region at a time. */
export function liveFrame(state: ViewState, now: Date): LiveFrame {
  let replyRows = 0;
  const onReply = (rows: number): void => void (replyRows = rows);
  const { live, cursor } = inkFrame(
    <ThemeContext value={themes[state.theme]}>
      <LiveRegion state={state} now={now} onReply={onReply} />
    </ThemeContext>,
    state.size.columns,
  );
  return { rows: (live ?? []).map((line) => line.replaceAll(styles, "")), cursor, replyRows };
}

/** Returns the only frame of an element. */
export function inkFrame(element: ReactNode, columns: number): InkFrame {
  const frames: InkFrame[] = [];
  const terminal = { columns } as NodeJS.WriteStream;
  chalk.level = 2;
  const stdout = createInkStdout({ terminal, onFrame: (frame) => frames.push(frame), onOther: () => undefined });
  render(element, { stdout, stdin: process.stdin, patchConsole: false, exitOnCtrlC: false }).unmount();
  const [frame] = frames;
  if (frame === undefined) throw new Error("Ink has rendered nothing.");
  return frame;
}
