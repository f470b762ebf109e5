// Starts a command of the built program that keeps running, and waits for what it prints.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { packageRoot } from "../../src/base/package-root.ts";

export interface StartedProgram {
  readonly child: ChildProcess;
  /** What it has printed so far. */
  readonly output: () => string;
  /** What of that it has printed on stderr. */
  readonly errors: () => string;
}

export interface StartOptions {
  readonly home: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** With the demo model, and without an embedder. */
export function startProgram(
  command: string,
  flags: readonly string[],
  { home, env = {} }: StartOptions,
): StartedProgram {
  const program = path.join(packageRoot(), "dist", "program", "palimpsest.js");
  const { PATH, NODE_OPTIONS } = process.env;
  const child = spawn(process.execPath, [program, command, "--model", "demo", "--embedding", "none", ...flags], {
    env: { PATH, NODE_OPTIONS, HOME: home, ...env },
  });
  let text = "";
  let errors = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  return { child, output: () => text, errors: () => errors };
}

/** Waits for what the pattern's group matches. */
export async function printed({ child, output }: StartedProgram, pattern: RegExp): Promise<string> {
  for (;;) {
    const [, found] = pattern.exec(output()) ?? [];
    if (found !== undefined) return found;
    if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode}: ${output()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Waits for its exit code. */
export async function ended({ child }: StartedProgram): Promise<number | null> {
  if (child.exitCode === null) await once(child, "exit");
  return child.exitCode;
}
