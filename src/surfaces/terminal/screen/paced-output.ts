// Writes to a terminal no faster than the terminal shows the output, if the terminal answers status questions.
// Invariant: over a slow connection, less than a second of output is on its way when the next frame is computed, so that the
// frame shows the newest state. The buffers of the system and of SSH would otherwise hold many seconds of output.
import type { Clock } from "../../../base/clock.ts";

/** DSR 5: the terminal reports its status. The answer shows that everything before the question was processed. */
const question = "\u001b[5n";
/** Number of bytes after which the question is written. */
const askAfter = 128;
/** Maximum output that the terminal has not shown yet: what it shows in `aheadMs`, but at least `minAhead` bytes. */
const aheadMs = 200;
const minAhead = 512;
/** Milliseconds to wait for an answer. Afterwards, output is not paced until the terminal answers again. */
const answerMs = 5_000;
const settleMs = 1_000;
/** Milliseconds to wait for a terminal that has never answered. */
const firstAnswerMs = 100;

/** Creates the output of a terminal. The first write also writes the question. */
export function createPacedOutput(stdout: NodeJS.WriteStream, clock: Clock, onReady: () => void) {
  /** The question that has no answer yet, and the bytes written between the previous question and this one. */
  let asked: { readonly bytes: number; readonly atMs: number } | null = null;
  /** Number of bytes written since the last question. */
  let bytes = askAfter;
  /** Maximum number of bytes that may be on their way; infinite if the terminal does not answer. */
  let ahead = Number.POSITIVE_INFINITY;
  let isLate = false;
  const waiting: (() => void)[] = [];

  const roomNow = (): number =>
    stdout.writableNeedDrain ? 0 : Math.max(0, ahead - (asked === null ? 0 : asked.bytes + bytes));
  const resume = (): void => {
    if (!isLate || roomNow() === 0) return;
    isLate = false;
    onReady();
  };
  const endQuestion = (): void => {
    asked = null;
    for (const resolve of waiting.splice(0)) resolve();
    resume();
  };
  const ask = (): void => {
    const own = { bytes, atMs: clock.now().getTime() };
    asked = own;
    bytes = 0;
    void clock.sleep(answerMs, undefined, { background: true }).then(() => {
      if (asked !== own) return;
      ahead = Number.POSITIVE_INFINITY;
      endQuestion();
    });
  };
  const untilAnswered = async (): Promise<void> => {
    if (asked === null) return;
    const answer = new Promise<void>((resolve) => waiting.push(resolve));
    const limitMs = Number.isFinite(ahead) ? settleMs : firstAnswerMs;
    await Promise.race([answer, clock.sleep(limitMs, undefined, { background: true })]);
  };
  return {
    /** Writes immediately. */
    write(sequence: string): void {
      bytes += Buffer.byteLength(sequence);
      const asks = asked === null && bytes >= askAfter;
      if (asks) ask();
      if (!stdout.write(asks ? sequence + question : sequence)) stdout.once("drain", resume);
    },
    /** Returns the number of bytes that a frame may have now. If it is 0, calls `onReady` once when there is room. */
    room(): number {
      isLate ||= roomNow() === 0;
      return roomNow();
    },
    /** Must be called when the terminal has answered the question of this output. */
    answered(): void {
      if (asked !== null) ahead = bytesAhead(asked.bytes, clock.now().getTime() - asked.atMs);
      endQuestion();
    },
    /** Whether the terminal answers questions: false before its first answer, and after a question without an answer. */
    answers: () => Number.isFinite(ahead),
    /**
     * Resolves when the terminal has answered all questions, including questions of other code, or after a time limit.
     * The next program would read a later answer as keys, so no question may be written afterwards.
     */
    async settle(): Promise<void> {
      await untilAnswered();
      if (!Number.isFinite(ahead)) return;
      // Answers arrive in the order of the questions, so the answer to this one is the last.
      ask();
      stdout.write(question);
      await untilAnswered();
    },
  };
}

export type PacedOutput = ReturnType<typeof createPacedOutput>;

/** Returns the number of bytes that the terminal shows in `aheadMs`, if it has shown `bytes` in `elapsedMs`. */
function bytesAhead(bytes: number, elapsedMs: number): number {
  return Math.max(minAhead, (bytes * aheadMs) / Math.max(1, elapsedMs));
}
