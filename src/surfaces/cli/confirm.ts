// Asks for confirmation in the terminal before a destructive action.
// Invariant: anything but a plain yes is a no, including the end of input and an interruption.
import { createInterface } from "node:readline/promises";
import { stripControl } from "../../base/terminal-text.ts";
import type { World } from "./world.ts";

/** Asks on stderr, since stdout is for results. */
export async function confirm({ stdin, stderr, signal }: World, question: string): Promise<boolean> {
  const lines = createInterface({ input: stdin, terminal: false });
  const stop = (): void => lines.close();
  signal.addEventListener("abort", stop, { once: true });
  try {
    stderr.write(`${stripControl(question)} [y/N] `);
    for await (const line of lines) return isYes(line.trim());
    return false;
  } finally {
    signal.removeEventListener("abort", stop);
    lines.close();
  }
}

/** Whether an answer is a plain yes. */
export function isYes(answer: string): boolean {
  return /^y(?:es)?$/iu.test(answer);
}
