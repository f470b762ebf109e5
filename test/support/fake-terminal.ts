// A terminal for the chat in the test's own process: streams whose other end is a model of a terminal.
// Invariant: answers arrive in a later tick, as from a real terminal.
import { EventEmitter } from "node:events";
import { createTerminalModel, type TerminalModel } from "./terminal-model.ts";

export interface FakeTerminal {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly model: TerminalModel;
  /** Sends keys as the terminal would. */
  type(keys: string): void;
  /** Everything written so far. */
  written(): string;
  isRaw(): boolean;
}

export interface FakeTerminalOptions {
  readonly columns: number;
  readonly rows: number;
  /** Whether it answers questions. Default true. */
  readonly answers?: boolean;
  /** Whether a write is accepted; otherwise, the stream is full until it emits `drain`. */
  readonly accepts?: () => boolean;
}

export function createFakeTerminal(options: FakeTerminalOptions): FakeTerminal {
  const { columns, rows, answers = true, accepts = () => true } = options;
  let isRaw = false;
  let written = "";
  let isFull = false;
  const input = Object.assign(new EventEmitter(), {
    isTTY: true,
    setEncoding: () => input,
    setRawMode: (raw: boolean) => {
      isRaw = raw;
    },
    ref: () => input,
    resume: () => input,
    pause: () => input,
  });
  const type = (keys: string): void => void input.emit("data", keys);
  const model = createTerminalModel({
    columns,
    rows,
    answer: (text) => {
      if (answers) setImmediate(() => type(text));
    },
  });
  const output = Object.assign(new EventEmitter(), {
    isTTY: true,
    columns,
    rows,
    write(text: string) {
      written += text;
      model.write(text);
      isFull = !accepts();
      return !isFull;
    },
  });
  Object.defineProperty(output, "writableNeedDrain", { get: () => isFull && !accepts() });
  return {
    stdin: input as unknown as NodeJS.ReadStream,
    stdout: output as unknown as NodeJS.WriteStream,
    model,
    type,
    written: () => written,
    isRaw: () => isRaw,
  };
}
