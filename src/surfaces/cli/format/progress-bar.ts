// Shows progress on stderr: redraws one line on a terminal, and writes a new line every few seconds elsewhere.
// Invariant: nothing is written with `--quiet`, and a redrawn line is cleared at the end. The line never exceeds the given
// width and contains no control sequence from a name.
import { codePointLength, takeCodePoints } from "../../../base/code-points.ts";
import { stripControl } from "../../../base/terminal-text.ts";
import { numberText } from "../../../base/window-words.ts";
import type { CommandCall } from "../command.ts";
import { notice } from "../print.ts";

/** Milliseconds between two redraws. */
const drawMs = 100;
const noticeMs = 5000;

export function createProgressBar(call: CommandCall) {
  const { world, line } = call;
  const { stderr, hasUtf8 } = world;
  const columns = "columns" in stderr && typeof stderr.columns === "number" ? () => Number(stderr.columns) : undefined;
  const isDrawn = columns !== undefined && "isTTY" in stderr && stderr.isTTY === true && !line.switches.has("quiet");
  let label = "";
  let beganAt = 0;
  let shownAt = 0;
  let isOnScreen = false;

  return {
    show(progress: Omit<WorkProgress, "elapsedMs">): void {
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
    /** Clears the bar, so that other output can follow. */
    clear(): void {
      if (isOnScreen) stderr.write("\r\u001b[K");
      isOnScreen = false;
    },
  };
}

export type ProgressBar = ReturnType<typeof createProgressBar>;

/** Runs work with a progress bar, which is cleared at its end. Prints the advice if the command was interrupted. */
export async function withProgressBar<Done>(
  call: CommandCall,
  advice: string | null,
  work: (bar: ProgressBar) => Promise<Done>,
): Promise<Done> {
  const bar = createProgressBar(call);
  try {
    return await work(bar);
  } finally {
    bar.clear();
    if (call.world.signal.aborted && advice !== null) notice(call, advice);
  }
}

export interface WorkProgress {
  /** The activity: `Reading files`. */
  readonly label: string;
  readonly done: number;
  readonly total: number;
  /** Share of the work that is done, from 0 to 1; determines the remaining time. */
  readonly share: number;
  /** Milliseconds since the start. */
  readonly elapsedMs: number;
  /** Name of the last finished item; empty for none. */
  readonly name: string;
}

export interface LineWidth {
  /** Maximum width in columns; undefined for no limit. */
  readonly columns: number | undefined;
  /** Whether block characters can be displayed. */
  readonly hasUtf8: boolean;
}

const barColumns = 20;

/** Returns `Reading files [█████░░░] 1,234/2,000  61%  85/s  9 s left  a.md`, without the parts that do not fit. */
export function progressLine(work: WorkProgress, { columns, hasUtf8 }: LineWidth): string {
  const { label, done, total, share } = work;
  const percent = `${Math.floor(Math.min(Math.max(share, 0), 1) * 100)}%`;
  const counts = `${numberText(done)}/${numberText(total)}  ${percent}`;
  const paces = [rateText(work), leftText(work)].filter((part) => part !== "").map((part) => `  ${part}`);
  const bar = columns === undefined ? " " : ` [${barText(share, hasUtf8)}] `;
  const name = stripControl(work.name).replaceAll(/\s+/gu, " ");
  const whole = `${label}${bar}${counts}${paces.join("")}`;
  if (columns === undefined) return name === "" ? whole : `${whole}  ${name}`;
  const max = Math.max(columns - 1, 1);
  if (whole.length > max) return takeCodePoints(`${label} ${counts}`, max);
  const room = max - whole.length - 2;
  return name === "" || room < 8 ? whole : `${whole}  ${cutName(name, room)}`;
}

function barText(share: number, hasUtf8: boolean): string {
  const full = Math.floor(Math.min(Math.max(share, 0), 1) * barColumns);
  const [mark, rest] = hasUtf8 ? ["█", "░"] : ["#", "."];
  return mark.repeat(full) + rest.repeat(barColumns - full);
}

function rateText({ done, elapsedMs }: WorkProgress): string {
  if (done === 0 || elapsedMs < 1000) return "";
  const rate = (done * 1000) / elapsedMs;
  return `${rate < 10 ? rate.toFixed(1) : numberText(Math.round(rate))}/s`;
}

function leftText({ share, elapsedMs }: WorkProgress): string {
  if (share <= 0 || share >= 1 || elapsedMs < 1000) return "";
  const seconds = Math.ceil((elapsedMs * (1 - share)) / share / 1000);
  if (seconds < 60) return `${seconds} s left`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s left`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min left`;
}

/** Returns the end of a name, which says more than its beginning. Non-ASCII characters count as two columns. */
function cutName(name: string, columns: number): string {
  const wide = (text: string): number => text.replaceAll(/[ -~]/gu, "").length;
  if (codePointLength(name) + wide(name) <= columns) return name;
  let kept = "";
  let width = 1;
  for (const character of Array.from(name).toReversed()) {
    width += /[ -~]/u.test(character) ? 1 : 2;
    if (width > columns) break;
    kept = character + kept;
  }
  return `…${kept}`;
}
