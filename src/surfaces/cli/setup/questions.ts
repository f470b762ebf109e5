// Asks questions on the terminal, one at a time; answers can be hidden.
// Invariant: a hidden answer is never written or stored; text typed without a question is ignored; Esc goes back; Ctrl+C,
// Ctrl+D and an interruption of the command leave at any time.
import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";
import { stripControl } from "../../../base/terminal-text.ts";
import type { World } from "../world.ts";
import { surfaceText } from "../../surface-words.ts";
import { wrapWords } from "../format/wrap-words.ts";

const backAnswer = "b";

type QuestionDeps = Pick<World, "stdin" | "stdout" | "signal" | "command">;

/** Opens the terminal for questions. Both streams must be terminals. */
export function openQuestions({ stdin, stdout, signal, command }: QuestionDeps) {
  const leaving = new AbortController();
  const leave = (): void => leaving.abort();
  let isHidden = false;
  const echo = echoTo(stdout, () => isHidden);
  // The history is off, because Up would show a typed key again.
  const lines = createInterface({ input: stdin, output: echo, terminal: true, historySize: 0, escapeCodeTimeout: 100 });
  let answer: ((line: string) => void) | undefined;
  lines.on("line", (line) => answer?.(line));
  let choices: readonly string[] = [];
  typeChoices(stdin, lines, () => choices);
  const escape = listenForEscape(stdin, () => {
    if (answer === undefined) return;
    // Discards the typed text, which would otherwise begin the next answer.
    Object.assign(lines, { line: "", cursor: 0 });
    if (!isHidden) stdout.write("\n");
    answer(backAnswer);
  });
  lines.on("SIGINT", leave);
  lines.on("close", leave);
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();

  return {
    /** Writes a line. Replaces names of the library by commands, and the advice to set a key by the advice to type it. */
    say: (text: string) =>
      void stdout.write(`${wrapWords(surfaceText(stripControl(text), "configure", command), columnsOf(stdout))}\n`),
    /** Aborted when the user leaves. */
    signal: leaving.signal as AbortSignal,
    /**
     * Asks a question. Up and Down type one of the choices. Returns the trimmed answer, or `b` (go back) for Esc. Rejects with the
     * signal's reason on leaving.
     */
    async ask(
      question: string,
      options: { readonly isHidden?: boolean; readonly choices?: readonly string[] } = {},
    ): Promise<string> {
      leaving.signal.throwIfAborted();
      isHidden = false;
      lines.setPrompt(stripControl(question));
      lines.prompt();
      isHidden = options.isHidden === true;
      choices = options.choices ?? [];
      try {
        return (await nextLine(leaving.signal, (heard) => (answer = heard))).trim();
      } finally {
        if (isHidden || leaving.signal.aborted) stdout.write("\n");
        isHidden = false;
        choices = [];
      }
    },
    /** Runs work that Esc can stop. Returns its result, or `stopped` after Esc; throws the work's error otherwise. */
    stoppable: <Result>(work: (signal: AbortSignal) => Promise<Result>) => escape.during(work, leaving.signal),
    /** Leaves the questions: the same as Ctrl+C. */
    leave,
    /** Releases the terminal. */
    close(): void {
      escape.close();
      signal.removeEventListener("abort", leave);
      lines.close();
    },
  };
}

export type Questions = ReturnType<typeof openQuestions>;

/** Resolves to the next line. `listen(heard)` sets a listener for lines; `listen()` removes it. Rejects on abort. */
function nextLine(signal: AbortSignal, listen: (heard?: (line: string) => void) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    const stop = (): void => settle(() => reject(signal.reason as Error));
    const settle = (end: () => void): void => {
      listen();
      signal.removeEventListener("abort", stop);
      end();
    };
    listen((line) => settle(() => resolve(line)));
    signal.addEventListener("abort", stop, { once: true });
  });
}

/** Up and Down replace the typed text by the previous or next choice; if it is not a choice, by the last or first one. */
function typeChoices(stdin: World["stdin"], lines: Interface, choicesNow: () => readonly string[]): void {
  const pressed = (_text: string | undefined, { name }: { readonly name?: string }): void => {
    const choices = choicesNow();
    if ((name !== "up" && name !== "down") || choices.length === 0) return;
    const at = choices.indexOf(lines.line);
    const first = name === "down" ? 0 : choices.length - 1;
    const next = at === -1 ? first : (at + (name === "down" ? 1 : -1) + choices.length) % choices.length;
    for (const edit of ["e", "u"]) lines.write(null, { ctrl: true, name: edit });
    lines.write(choices[next] ?? "");
  };
  stdin.on("keypress", pressed);
  lines.once("close", () => stdin.off("keypress", pressed));
}

/** Returns the stream to which readline echoes typed text. It writes nothing while answers are hidden. */
function echoTo(stdout: World["stdout"], isHidden: () => boolean): Writable {
  const echo = new Writable({
    write(chunk: Buffer, _encoding, done) {
      // Chunks are not buffered, so that hidden text cannot be written later.
      if (!isHidden()) stdout.write(chunk);
      done();
    },
  });
  // Readline needs the width to wrap a long answer.
  return Object.assign(echo, { columns: columnsOf(stdout) });
}

/** Calls `onEscape` for each Esc, and stops the running work. Readline decodes the keys of stdin. */
function listenForEscape(stdin: World["stdin"], onEscape: () => void) {
  let stop: (() => void) | undefined;
  const pressed = (_text: string | undefined, { name }: { readonly name?: string }): void => {
    if (name !== "escape") return;
    stop?.();
    onEscape();
  };
  stdin.on("keypress", pressed);
  return {
    /** Runs work that Esc can stop. Returns its result, or `stopped` after Esc. */
    async during<Result>(
      work: (signal: AbortSignal) => Promise<Result>,
      leaving: AbortSignal,
    ): Promise<Result | "stopped"> {
      const stopping = new AbortController();
      stop = () => stopping.abort();
      try {
        return await work(AbortSignal.any([leaving, stopping.signal]));
      } catch (error) {
        leaving.throwIfAborted();
        if (!stopping.signal.aborted) throw error;
        return "stopped";
      } finally {
        stop = undefined;
      }
    },
    close: () => void stdin.off("keypress", pressed),
  };
}

function columnsOf(stdout: World["stdout"]): number {
  return "columns" in stdout && typeof stdout.columns === "number" && stdout.columns > 0 ? stdout.columns : 80;
}
