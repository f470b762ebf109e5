// Waits that a caller is waiting for keep the process alive, also when nothing else in the process does.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { packageRoot } from "../../src/base/package-root.ts";

/** How a process ends that runs these lines as a module, with `built` leading to the compiled sources. */
function runAlone(lines: string) {
  const built = path.join(packageRoot(), "dist/src");
  const program = `const built = ${JSON.stringify(built)};\n${lines}`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

test("a source that hangs is reported as late when it is the only work of the process", () => {
  const ended = runAlone(`
    const { QueryPlanner } = await import(built + "/memory/planner/query-planner.js");
    const planner = new QueryPlanner({
      sources: { hanging: () => new Promise(() => undefined) },
      countTokens: (text) => text.length,
      timeoutMs: 100,
    });
    const { warnings } = await planner.getContext("What now?", "ada");
    process.stdout.write(warnings.join());`);
  expect(ended).toEqual({ status: 0, stdout: "hanging was left out: no answer in 100 ms", stderr: "" });
});

test("a runtime on an embedded database opens in a process that was started with --input-type=module", () => {
  const ended = runAlone(`
    import { mkdtempSync, rmSync } from "node:fs";
    import os from "node:os";
    import path from "node:path";
    const { createRuntime } = await import(built + "/runtime/compose/compose.js");
    const dataDir = mkdtempSync(path.join(os.tmpdir(), "palimpsest-test-"));
    const runtime = await createRuntime({ dataDir, embedder: null });
    const agents = await runtime.agents.list();
    await runtime.close();
    rmSync(dataDir, { recursive: true, force: true });
    process.stdout.write(String(agents.length));`);
  expect(ended).toEqual({ status: 0, stdout: "0", stderr: "" });
});
