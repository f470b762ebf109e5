// Writes to a terminal no faster than it shows what is written, as far as it reports that.
// Invariant: over a slow connection, less than a second of output is on its way when the next frame is computed, so that it
// shows the newest state. The buffers of the system and of ssh would otherwise hold many seconds of output.
import type { Clock } from "../../../base/clock.ts";

export interface PacedOutput {
  /** Writes at once. */
  write(sequence: string): void;
  /** Returns the bytes that a frame may have now. If it is 0, `onReady` is called once it is more. */
  room(): number;
  /** The terminal has answered the question of this output. */
  answered(): void;
  /** Whether the terminal has answered the last question. */
  answers(): boolean;
  /**
   * Resolves when no answer, also to questions of others, is on its way that another program would read as keys, or after a
   * time limit. Nothing may be asked afterwards.
   */
  settle(): Promise<void>;
}

/** DSR 5: the terminal reports its status, and with it that it has processed everything before. */
const question = "\u001b[5n";
/** Bytes after which the terminal is asked. */
const askAfter = 128;
/** Output may be ahead of the terminal by this time at its measured speed, and by at least these bytes. */
const aheadMs = 200;
const minAhead = 512;
/** The time limit of an answer; afterwards, output continues without answers until there is one. */
const answerMs = 5_000;
const settleMs = 1_000;
/** For a terminal that has never answered. */
const firstAnswerMs = 100;

/** Creates the output of a terminal. The first write asks it for an answer. */
export function createPacedOutput(stdout: NodeJS.WriteStream, clock: Clock, onReady: () => void): PacedOutput {
  /** The question without an answer, and the bytes up to it. */
  let asked: { readonly bytes: number; readonly atMs: number } | null = null;
  /** Bytes after the last question. */
  let bytes = askAfter;
  /** Bytes that may be on their way; without answers, any number. */
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
    write(sequence) {
      bytes += Buffer.byteLength(sequence);
      const asks = asked === null && bytes >= askAfter;
      if (asks) ask();
      if (!stdout.write(asks ? sequence + question : sequence)) stdout.once("drain", resume);
    },
    room() {
      isLate ||= roomNow() === 0;
      return roomNow();
    },
    answered() {
      if (asked !== null) ahead = bytesAhead(asked.bytes, clock.now().getTime() - asked.atMs);
      endQuestion();
    },
    answers: () => Number.isFinite(ahead),
    async settle() {
      await untilAnswered();
      if (!Number.isFinite(ahead)) return;
      // Answers arrive in the order of the questions.
      ask();
      stdout.write(question);
      await untilAnswered();
    },
  };
}

/** Returns the bytes that a terminal which showed some in that time shows in `aheadMs`. */
function bytesAhead(bytes: number, elapsedMs: number): number {
  return Math.max(minAhead, (bytes * aheadMs) / Math.max(1, elapsedMs));
}
