// Reads a terminal's input in raw mode until told to stop.
// Invariant: raw mode ends when reading ends; an escape that nothing follows is the key Esc after a short time.
import type { Clock } from "../../../base/clock.ts";
import { createInputParser, type Input } from "./input-parser.ts";

/** A sequence arrives at once, except over a bad connection; a person presses Esc and another key more slowly. */
const escapeMs = 20;
const sequenceMs = 500;

/** Calls `onInput` for each input. Returns a function that ends the reading. */
export function readInput(
  stdin: NodeJS.ReadStream,
  clock: Pick<Clock, "sleep">,
  onInput: (input: Input) => void,
): () => void {
  const parser = createInputParser();
  let chunks = 0;
  let hasEnded = false;
  const report = (inputs: readonly Input[]): void => {
    for (const input of inputs) if (!hasEnded) onInput(input);
  };
  const onData = (chunk: string): void => {
    chunks += 1;
    const own = chunks;
    report(parser.push(chunk));
    const waitsFor = parser.waitsFor();
    if (waitsFor === "nothing") return;
    void clock.sleep(waitsFor === "escape" ? escapeMs : sequenceMs).then(() => {
      // After a pause of the process, timers end before input that has arrived meanwhile is read.
      setImmediate(() => {
        if (own === chunks) report(parser.flush());
      });
    });
  };
  // Characters of several bytes may be split between chunks.
  stdin.setEncoding("utf8");
  stdin.setRawMode(true);
  stdin.on("data", onData);
  stdin.ref();
  stdin.resume();
  return () => {
    hasEnded = true;
    stdin.off("data", onData);
    stdin.setRawMode(false);
    // Otherwise, Node would keep reading and take keys from the program that has the terminal next.
    stdin.pause();
  };
}
