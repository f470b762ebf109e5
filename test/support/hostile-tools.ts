// A sandbox with short limits, and hostile tools to run in it.
import { readdir, readFile } from "node:fs/promises";
import { openNamespaceSandbox } from "../../src/tool/sandbox/namespace-sandbox.ts";
import { sandboxLimits, type SandboxLimits } from "../../src/tool/sandbox/sandbox-limits.ts";
import type { Sandbox, SourceResult } from "../../src/tool/sandbox.ts";

export const limits = { ...sandboxLimits, seconds: 3, memoryBytes: 256 * 1024 * 1024, outputBytes: 64 * 1024 };
export const isRoot = process.getuid?.() === 0;

export interface HostileTools {
  readonly sandbox: Sandbox;
  /** Runs `lines` as the body of a function, whose argument is `given`. */
  run(lines: string, given?: unknown, signal?: AbortSignal): Promise<SourceResult>;
  /** Tries each Python expression on its own, and returns the name of its error, or its value. */
  outcomesOf(expressions: readonly string[]): Promise<readonly string[]>;
}

const tryEach = `
outcomes = []
for expression in given:
    try:
        outcomes.append(repr(eval(expression, {"os": os, "sys": sys})))
    except BaseException as error:
        outcomes.append(type(error).__name__)
return outcomes
`;

/** Throws on a machine that cannot isolate processes: the test then fails with the reason. */
export async function openHostileTools(ofCalls: SandboxLimits = limits): Promise<HostileTools> {
  const sandbox = await openNamespaceSandbox({ limits: ofCalls });
  const run: HostileTools["run"] = (lines, given = null, signal) => {
    const source = `import os, sys\n\ndef tool(given):\n${lines.trim().replaceAll(/^/gmu, "    ")}\n`;
    return sandbox.run({ source, name: "tool", args: { given }, ...(signal === undefined ? {} : { signal }) });
  };
  return {
    sandbox,
    run,
    async outcomesOf(expressions) {
      const { status, text } = await run(tryEach, expressions);
      expect(status).toBe("ok");
      return JSON.parse(text) as readonly string[];
    },
  };
}

/** The command lines of this machine's processes that contain the text. */
export async function processesWith(text: string): Promise<readonly string[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/u.test(name));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")));
  return lines.filter((line) => line.includes(text));
}

let markers = 0;

/** A text that no other process has in its command line. */
export function newMarker(): string {
  markers += 1;
  return `marker-${process.pid}-${markers}`;
}
