// A question that is answered with yes or no, on the terminal.
// Invariant: it is written to stderr, and anything but a yes is a no.
import { createInterface } from "node:readline/promises";
import { stripControl } from "../base/terminal-text.ts";
import type { World } from "./world.ts";

export async function confirm({ stdin, stderr, signal }: World, question: string): Promise<boolean> {
  const dialogue = createInterface({ input: stdin, output: stderr });
  try {
    const answer = await dialogue.question(`${stripControl(question)} [y/N] `, { signal });
    return /^\s*y(?:es)?\s*$/iu.test(answer);
  } finally {
    dialogue.close();
  }
}
