// Asks questions on the terminal, one at a time; answers can be hidden.
// Invariant: a hidden answer is never written or stored; text typed without a question is ignored; Ctrl+C, Ctrl+D and an
// interruption of the command leave at any time.
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { stripControl } from "../../base/terminal-text.ts";
import type { World } from "../world.ts";
import { wrapWords } from "../format/wrap-words.ts";

export interface Questions {
  /** Writes a text and a line end. */
  say(text: string): void;
  /** Returns the trimmed answer. Rejects with the signal's reason when the user leaves. */
  ask(question: string, options?: { readonly isHidden?: boolean }): Promise<string>;
  /** Aborted when the user leaves. */
  readonly signal: AbortSignal;
  /** Releases the terminal. */
  close(): void;
}

/** Opens the terminal for questions. Both streams must be terminals. */
export function openQuestions({ stdin, stdout, signal }: Pick<World, "stdin" | "stdout" | "signal">): Questions {
  const leaving = new AbortController();
  const leave = (): void => leaving.abort();
  let isHidden = false;
  // Readline echoes typed text; this stream suppresses the echo of hidden answers.
  const echo = new Writable({
    write(chunk: Buffer, _encoding, done) {
      // Unbuffered, so that hidden text cannot be written later.
      if (!isHidden) stdout.write(chunk);
      done();
    },
  });
  // Readline needs the width to wrap a long answer.
  Object.assign(echo, { columns: columnsOf(stdout) });
  // No history: Up would show a typed key again.
  const lines = createInterface({ input: stdin, output: echo, terminal: true, historySize: 0 });
  let answer: ((line: string) => void) | undefined;
  lines.on("line", (line) => answer?.(line));
  lines.on("SIGINT", leave);
  lines.on("close", leave);
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();

  return {
    say: (text) => void stdout.write(`${wrapWords(stripControl(text), columnsOf(stdout))}\n`),
    signal: leaving.signal,
    async ask(question, options = {}) {
      leaving.signal.throwIfAborted();
      isHidden = false;
      lines.setPrompt(stripControl(question));
      lines.prompt();
      isHidden = options.isHidden === true;
      try {
        return (await nextLine()).trim();
      } finally {
        if (isHidden || leaving.signal.aborted) stdout.write("\n");
        isHidden = false;
      }
    },
    close() {
      signal.removeEventListener("abort", leave);
      lines.close();
    },
  };

  function nextLine(): Promise<string> {
    return new Promise((resolve, reject) => {
      const stop = (): void => settle(() => reject(leaving.signal.reason as Error));
      const settle = (end: () => void): void => {
        answer = undefined;
        leaving.signal.removeEventListener("abort", stop);
        end();
      };
      answer = (line) => settle(() => resolve(line));
      leaving.signal.addEventListener("abort", stop, { once: true });
    });
  }
}

function columnsOf(stdout: World["stdout"]): number {
  return "columns" in stdout && typeof stdout.columns === "number" && stdout.columns > 0 ? stdout.columns : 80;
}
