// What Ink renders, on a terminal: only what differs from what the terminal shows is written, and no faster than it shows it.
// Invariant: no frame is written while the terminal is behind or its size changes; the last frame is always drawn.
import type { Clock } from "../../../base/clock.ts";
import { createInkFrames, type InkFrames } from "./ink-frames.ts";
import { createInkStdout, type InkFrame } from "./ink-stdout.ts";
import { createPacedOutput, type PacedOutput } from "./paced-output.ts";
import { createPlaceQuestion, type PlaceReport } from "./place-question.ts";
import { type ScreenSize, screenSizeOf } from "./screen-size.ts";

export interface InkScreen {
  /** What Ink renders to. */
  readonly stdout: NodeJS.WriteStream;
  /** Writes a sequence that draws nothing. */
  write(sequence: string): void;
  /** Takes the terminal's answer to a question. */
  answered(answer: PlaceReport | { readonly type: "status" }): void;
  /** How many lines at the top of the live region continue <Static>: they are not shown before all of its lines. */
  continuing(lines: number): void;
  /**
   * Erases the screen and draws it again; after a change of size, only what Ink has drawn on it. `render` receives how many of
   * the last lines of <Static> are erased, and resolves when Ink has rendered them again.
   */
  redraw(render: (lines: number) => Promise<void>): Promise<void>;
  /** Draws the last frame, and then nothing more. Resolves when no answer of the terminal is on its way. */
  end(live: "erase" | "keep"): Promise<void>;
  /** Returns the bytes that move the cursor below what is drawn. */
  leave(): string;
}

export interface InkScreenDeps {
  readonly terminal: NodeJS.WriteStream;
  readonly clock: Clock;
  /** The terminal has a new size: nothing is drawn before the next redraw. */
  onResize(): void;
}

/** Time from the last change of size until the redraw: a narrower terminal wraps lines, and a lower one may drop some. */
const resizeMs = 80;

/** Creates a screen that begins at the cursor's line, which is empty. */
export function createInkScreen({ terminal, clock, onResize }: InkScreenDeps): InkScreen {
  const frames = createInkFrames();
  const size = (): ScreenSize => screenSizeOf(terminal);
  const output = createPacedOutput(terminal, clock, () => draw());
  const place = createPlaceQuestion({ stdout: terminal, output, clock });
  let isHeld = false;
  let hasEnded = false;
  /** Counts changes of size and redraws: each ends the redraw before it. */
  let turn = 0;
  /** `changing`: a redraw follows by itself. */
  let resize: "changing" | "changed" | "drawn" = "drawn";

  const draw = (): void => {
    if (!hasEnded && !isHeld) writeFrames(frames, output, size());
  };
  const onFrame = (frame: InkFrame): void => {
    frames.add(frame, size());
    draw();
  };
  const hold = (): number => {
    isHeld = true;
    turn += 1;
    return turn;
  };
  const resized = (): void => {
    resize = "changing";
    const own = hold();
    void clock.sleep(resizeMs).then(() => {
      if (own !== turn || hasEnded) return;
      resize = "changed";
      onResize();
    });
  };
  terminal.on("resize", resized);
  return {
    stdout: createInkStdout({ terminal, onFrame, onOther: output.write }),
    write: output.write,
    answered: (answer) => (answer.type === "status" ? output.answered() : place.report(answer)),
    continuing: frames.continuing,
    async redraw(render) {
      if (resize === "changing") return;
      const own = hold();
      const cursorRow = await place.cursorRow();
      // After another change of size, the answer may be wrong.
      if (hasEnded || own !== turn) return;
      const { lines, top } = frames.takeBack(cursorRow, size());
      await render(lines);
      if (hasEnded) return;
      output.write(frames.again(size(), resize === "drawn" ? 0 : top));
      if (own !== turn) return;
      resize = "drawn";
      isHeld = false;
      draw();
    },
    async end(live) {
      hasEnded = true;
      terminal.off("resize", resized);
      output.write(live === "keep" ? frames.leave() : frames.last(size()));
      await output.settle();
    },
    leave: frames.leave,
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
