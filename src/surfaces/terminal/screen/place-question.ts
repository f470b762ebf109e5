// Asks the terminal for the row of its cursor, which only the terminal knows after it has moved the rows to a new size.
// Invariant: a terminal that does not answer is not waited for. A terminal whose size differs from the one that the program knows
// is about to report a new size (tmux does so up to 250 ms later), and is asked again. Only the newest caller asks: an answer
// to another one would be taken from it.
import type { Clock } from "../../../base/clock.ts";
import { type ScreenSize, screenSizeOf } from "./screen-size.ts";
import type { PacedOutput } from "./paced-output.ts";

/** The answers to the questions. The row counts from 0. */
export type PlaceReport =
  | { readonly type: "cursor"; readonly row: number }
  | { readonly type: "size"; readonly size: ScreenSize };

export interface PlaceQuestion {
  /** Returns the row of the cursor, from 0; the last row if the terminal does not answer. A newer call makes the row worthless. */
  cursorRow(): Promise<number>;
  report(report: PlaceReport): void;
}

export interface PlaceQuestionDeps {
  readonly stdout: NodeJS.WriteStream;
  readonly output: PacedOutput;
  readonly clock: Pick<Clock, "sleep">;
}

// XTWINOPS 18 and DSR 6, which are answered in this order.
const question = "\u001b[18t\u001b[6n";
const answerMs = 5_000;
/** For a terminal that answers no questions. */
const noAnswerMs = 100;
const newSizeMs = 100;
const maxTries = 4;

export function createPlaceQuestion({ stdout, output, clock }: PlaceQuestionDeps): PlaceQuestion {
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
    // The cursor of a long chat is at the bottom.
    const last = clock.sleep(limitMs, undefined, { background: true }).then(() => screenSizeOf(stdout).rows - 1);
    return Promise.race([row, last]);
  };
  return {
    async cursorRow() {
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
    report(report) {
      if (report.type === "cursor") {
        takeRow?.(report.row);
        return;
      }
      const { columns, rows } = screenSizeOf(stdout);
      // tmux 3.3 reports them in the wrong order.
      const isSame = [`${columns}x${rows}`, `${rows}x${columns}`].includes(
        `${report.size.columns}x${report.size.rows}`,
      );
      isOtherSize = !isSame;
    },
  };
}
