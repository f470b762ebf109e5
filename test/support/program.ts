// Runs the built program as a user does: in a process of its own, with a home of its own and no keys.
import { spawn } from "node:child_process";
import path from "node:path";
import { packageRoot } from "../../src/base/package-root.ts";

export interface ProgramResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramOptions {
  /** Its home, and its data folder unless the arguments say otherwise. */
  readonly home: string;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Kills the process after so many milliseconds, if it runs as long; its code is then null. */
  readonly killAfterMs?: number;
}

export function runProgram(
  args: readonly string[],
  { home, input = "", env = {}, killAfterMs }: ProgramOptions,
): Promise<ProgramResult> {
  const program = path.join(packageRoot(), "dist", "program", "palimpsest.js");
  const child = spawn(process.execPath, [program, ...args], {
    cwd: home,
    env: {
      PATH: process.env["PATH"],
      NODE_OPTIONS: process.env["NODE_OPTIONS"],
      HOME: home,
      PALIMPSEST_DATA_DIR: home,
      ...env,
    },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code, stdout, stderr });
    });
  });
}
