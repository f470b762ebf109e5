// Starts a process of the trials, and reads the lines that it writes.
import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { TestConnection } from "../support/database.ts";

export type Place = TestConnection;

/** What trials found: how many kills at each place, and what was violated, a line each. */
export interface Findings {
  readonly histogram: ReadonlyMap<string, number>;
  readonly violations: readonly string[];
}

export interface Child {
  /** Default `SIGKILL`. */
  kill(signal?: NodeJS.Signals): void;
  readonly ended: Promise<{ readonly killed: boolean; readonly exitCode: number | null; readonly errors: string }>;
}

export const placeArguments = (place: Place): readonly string[] =>
  place.kind === "server" ? ["--url", place.url] : ["--folder", place.folder];

/** `onLine` is called with the first word of each line and with the rest of it. */
export function startChild(
  program: string,
  args: readonly string[],
  onLine: (word: string, rest: string) => void,
): Child {
  const file = path.join(path.dirname(fileURLToPath(import.meta.url)), program);
  const child = spawn(process.execPath, [file, ...args], { stdio: ["ignore", "pipe", "pipe"], cwd: tmpdir() });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (piece: string) => {
    errors += piece;
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    const [, word = "", rest = ""] = /^(\w+) ?(.*)$/u.exec(line) ?? [];
    onLine(word, rest);
  });
  const ended = new Promise<Awaited<Child["ended"]>>((resolve) => {
    child.on("close", (exitCode) =>
      resolve({ killed: child.signalCode === "SIGKILL", exitCode, errors: errors.trim() }),
    );
  });
  return { kill: (signal = "SIGKILL") => void child.kill(signal), ended };
}
