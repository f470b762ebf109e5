// Progress on stderr: one line that is redrawn on a terminal, and a new line every few seconds elsewhere.
// Invariant: nothing is written with `--quiet`, and a redrawn line is cleared at the end.
import type { CommandCall } from "../command.ts";
import { notice } from "../print.ts";
import { progressLine, type WorkProgress } from "./progress-line.ts";

export interface ProgressBar {
  show(progress: Omit<WorkProgress, "elapsedMs">): void;
  /** Clears the bar, so that other output can follow. */
  clear(): void;
}

/** Milliseconds between two redraws. */
const drawMs = 100;
const noticeMs = 5000;

export function createProgressBar(call: CommandCall): ProgressBar {
  const { world, line } = call;
  const { stderr, hasUtf8 } = world;
  const columns = "columns" in stderr && typeof stderr.columns === "number" ? () => Number(stderr.columns) : undefined;
  const isDrawn = columns !== undefined && "isTTY" in stderr && stderr.isTTY === true && !line.switches.has("quiet");
  let label = "";
  let beganAt = 0;
  let shownAt = 0;
  let isOnScreen = false;

  return {
    show(progress) {
      const now = world.now();
      if (progress.label !== label) {
        label = progress.label;
        beganAt = now;
        shownAt = isDrawn ? -drawMs : now;
      }
      const isLast = progress.done === progress.total;
      if (!(isDrawn && isLast) && now - shownAt < (isDrawn ? drawMs : noticeMs)) return;
      shownAt = now;
      const work = { ...progress, elapsedMs: now - beganAt };
      if (isDrawn) {
        stderr.write(`\r${progressLine(work, { columns: columns(), hasUtf8 })}\u001b[K`);
        isOnScreen = true;
      } else notice(call, progressLine(work, { columns: undefined, hasUtf8 }));
    },
    clear() {
      if (isOnScreen) stderr.write("\r\u001b[K");
      isOnScreen = false;
    },
  };
}
