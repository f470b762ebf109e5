// Draws Ink's frames on a terminal: writes only differences, and no faster than the terminal shows them.
// Invariant: no frame is written while the terminal is behind or its size changes; the last frame is always drawn.
import type { Clock } from "../../../base/clock.ts";
import { createInkFrames, type InkFrames } from "./ink-frames.ts";
import { createInkStdout, type InkFrame } from "./ink-stdout.ts";
import { createPacedOutput, type PacedOutput } from "./paced-output.ts";
import { type ScreenSize, screenSizeOf } from "./screen-size.ts";

interface InkScreenDeps {
  readonly terminal: NodeJS.WriteStream;
  readonly clock: Clock;
  /** Called after the terminal's size has changed. Nothing is drawn until the next redraw. */
  onResize(): void;
}

/**
 * Makes Ink render the last `lines` lines of <Static> again. Resolves when it has, with a function for lines that are not
 * drawn: it forgets this rendering and returns the number of lines that Ink rendered for the first time since it began.
 */
export type RenderAgain = (lines: number) => Promise<() => number>;

/** Milliseconds from the last change of size to the redraw, which corrects lines that were wrapped or dropped. */
const resizeMs = 80;

/** Creates a screen that begins at the cursor's line, which is empty. */
export function createInkScreen({ terminal, clock, onResize }: InkScreenDeps) {
  const frames = createInkFrames();
  const size = (): ScreenSize => screenSizeOf(terminal);
  const output = createPacedOutput(terminal, clock, () => draw());
  const place = createPlaceQuestion({ stdout: terminal, output, clock });
  const redraws = createRedraws({ frames, output, place, size, clock, onResize });
  const draw = (): void => {
    if (!redraws.isHeld()) writeFrames(frames, output, size());
  };
  const onFrame = (frame: InkFrame): void => {
    frames.add(frame, size());
    draw();
  };
  terminal.on("resize", redraws.resized);
  return {
    /** The stream to which Ink renders. */
    stdout: createInkStdout({ terminal, onFrame, onOther: output.write }),
    /** Writes a sequence that draws nothing. */
    write: output.write,
    /** Processes the terminal's answer to a question. */
    answered: (answer: PlaceReport | { readonly type: "status" }): void =>
      answer.type === "status" ? output.answered() : place.report(answer),
    continuing: frames.continuing,
    /**
     * Erases the screen and draws it again; after a change of size, only the rows that Ink has drawn. `render` receives the
     * number of last lines of <Static> that are erased.
     */
    async redraw(render: RenderAgain): Promise<void> {
      await redraws.redraw(render);
      draw();
    },
    /** Draws the last frame and ends drawing. Resolves when no answer of the terminal is expected any more. */
    async end(live: "erase" | "keep"): Promise<void> {
      redraws.end();
      terminal.off("resize", redraws.resized);
      output.write(live === "keep" ? frames.leave() : frames.last(size()));
      await output.settle();
    },
    leave: frames.leave,
  };
}

export type InkScreen = ReturnType<typeof createInkScreen>;

interface RedrawDeps extends Omit<InkScreenDeps, "terminal"> {
  readonly frames: InkFrames;
  readonly output: PacedOutput;
  readonly place: Pick<PlaceQuestion, "cursorRow" | "cancel">;
  size(): ScreenSize;
}

/** Redraws the screen after changes of its size and on request. A redraw stops at a later one, a change of size, or the end. */
function createRedraws({ frames, output, place, size, clock, onResize }: RedrawDeps) {
  /** In `changing`, a request to redraw is ignored, because `onResize` will cause a redraw; in `ended`, because none follows. */
  let state: "changing" | "changed" | "drawn" | "ended" = "drawn";
  let isHeld = false;
  /** Counts redraws and what stops them. */
  let turn = 0;
  /** Resolves when no redraw is between taking lines back and drawing them or undoing that. */
  let rendering: Promise<void> = Promise.resolve();
  /** Undoes the taking back of lines that are not drawn again yet. */
  let undoTaken = (): void => undefined;

  const hold = (): number => {
    isHeld = true;
    turn += 1;
    return turn;
  };
  // After a change of size, the cursor's row may be wrong. After a pause of the process, the signal of a change may wait behind
  // the answer of the terminal: `setImmediate` lets Node process it.
  const isOvertaken = async (own: number): Promise<boolean> => {
    await new Promise((resolve) => void setImmediate(resolve));
    return own !== turn;
  };
  const renderAgain = async (own: number, cursorRow: number, render: RenderAgain): Promise<void> => {
    const { lines, rowsAbove, undo } = frames.takeBack(cursorRow, size());
    let forget = (): number => 0;
    undoTaken = () => undo(forget());
    forget = await render(lines);
    if (await isOvertaken(own)) return undoTaken();
    undoTaken = () => undefined;
    output.write(frames.again(size(), state === "drawn" ? "screen" : rowsAbove));
    state = "drawn";
    isHeld = false;
  };
  return {
    /** Whether frames must wait. */
    isHeld: () => isHeld,
    resized(): void {
      state = "changing";
      const own = hold();
      void clock.sleep(resizeMs).then(() => {
        if (own !== turn) return;
        state = "changed";
        onResize();
      });
    },
    async redraw(render: RenderAgain): Promise<void> {
      if (state === "changing" || state === "ended") return;
      const own = hold();
      const cursorRow = await place.cursorRow();
      await rendering;
      if (await isOvertaken(own)) return;
      rendering = renderAgain(own, cursorRow, render);
      await rendering;
    },
    end(): void {
      state = "ended";
      hold();
      place.cancel();
      undoTaken();
    },
  };
}

/** Writes the newest frame, in parts as large as the terminal can take now. */
function writeFrames(frames: InkFrames, output: PacedOutput, size: ScreenSize): void {
  while (output.room() > 0) {
    const text = frames.next(size, output.room());
    if (text !== "") output.write(text);
    if (!frames.hasMore()) break;
  }
}

/** The terminal's answers to the questions. The row counts from 0. */
type PlaceReport =
  | { readonly type: "cursor"; readonly row: number }
  | { readonly type: "size"; readonly size: ScreenSize };

interface PlaceQuestionDeps {
  readonly stdout: NodeJS.WriteStream;
  readonly output: PacedOutput;
  readonly clock: Pick<Clock, "sleep">;
}

// Asks for the size (XTWINOPS 18) and the place of the cursor (DSR 6). Terminals answer in this order.
const question = "\u001b[18t\u001b[6n";
const answerMs = 5_000;
/** Milliseconds to wait for a terminal that answers no questions. */
const noAnswerMs = 100;
const newSizeMs = 100;
const maxTries = 4;

/**
 * Asks the terminal for the row of the cursor, because only the terminal knows the row after it has moved its content to a
 * new size. Waits only briefly for a terminal that does not answer. A terminal that answers with another size than the
 * known one is about to report a new size (tmux does so up to 250 ms later), and is asked again. An older call stops
 * asking, because it would receive the answer to a newer call.
 */
export function createPlaceQuestion({ stdout, output, clock }: PlaceQuestionDeps) {
  let takeRow: ((row: number) => void) | null = null;
  let isOtherSize = false;
  let calls = 0;

  const ask = async (): Promise<number> => {
    isOtherSize = false;
    const row = new Promise<number>((resolve) => {
      takeRow = resolve;
    });
    output.write(question);
    const limitMs = output.answers() ? answerMs : noAnswerMs;
    // Without an answer, the last row is assumed: the cursor of a long chat is at the bottom.
    const last = clock.sleep(limitMs, undefined, { background: true }).then(() => screenSizeOf(stdout).rows - 1);
    return Promise.race([row, last]);
  };
  return {
    /** Returns the cursor's row, from 0, or the last row if there is no answer. Only the latest call's result is valid. */
    async cursorRow(): Promise<number> {
      calls += 1;
      const own = calls;
      let row = await ask();
      for (let tries = 1; isOtherSize && tries < maxTries; tries += 1) {
        await clock.sleep(newSizeMs, undefined, { background: true });
        if (own !== calls) return row;
        row = await ask();
      }
      return row;
    },
    /** Asks no further question for the current call. */
    cancel(): void {
      calls += 1;
    },
    report(report: PlaceReport): void {
      if (report.type === "cursor") return takeRow?.(report.row);
      const { columns, rows } = screenSizeOf(stdout);
      // tmux 3.3 reports columns and rows in the wrong order.
      const isSame = [`${columns}x${rows}`, `${rows}x${columns}`].includes(
        `${report.size.columns}x${report.size.rows}`,
      );
      isOtherSize = !isSame;
    },
  };
}

type PlaceQuestion = ReturnType<typeof createPlaceQuestion>;
