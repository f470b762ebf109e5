// The program and the library as a process: signals, pipes that close, the exit code that the shell sees, and waits that keep the
// process alive, also when nothing else in it does.
import { spawn, spawnSync } from "node:child_process";
import path from "node:path";
import { packageRoot } from "../../src/base/package-root.ts";
import { useFolder } from "../support/folders.ts";

const program = path.join(packageRoot(), "dist", "program", "palimpsest.js");
const home = useFolder();
const env = { PATH: process.env["PATH"], HOME: home };

describe("the process", () => {
  it.each([
    ["", 0],
    ["1", 1],
  ])("shows a stack for PALIMPSEST_DEBUG=%j, with the names of the source files", (debug, some) => {
    const args = ["agents", "list", "--database-url", "postgres://nobody@127.0.0.1:1/none"];
    const { status, stderr } = spawnSync(process.execPath, [program, ...args], {
      env: { ...env, PALIMPSEST_DEBUG: debug },
      encoding: "utf8",
    });
    expect(status).toBe(1);
    expect(stderr).toContain("Cannot reach PostgreSQL");
    expect(stderr.match(/\/dist\/src\/surfaces\/cli\/commands\/agents\.js:\d+/u)?.length ?? 0).toBe(some);
    expect(stderr.match(/^caused by: \{ code: 'ECONNREFUSED' \}$/mu)?.length ?? 0).toBe(some);
    expect(stderr).not.toContain("/dist/program/");
  });

  it("ends with the command's exit code, after all output is written", () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, "help", "chat"], {
      env,
      encoding: "utf8",
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout.endsWith("\n")).toBe(true);
  });

  it("reports a broken configuration file", () => {
    const variables = { ...env, PALIMPSEST_CONTEXT_WINDOW: "huge" };
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, "-p", "Hi"], {
      env: variables,
      encoding: "utf8",
    });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(/^palimpsest: PALIMPSEST_CONTEXT_WINDOW: expected a whole number[^\n]+"huge"\.\n$/u);
  });

  it("ends with 130 when interrupted while it waits for input", async () => {
    // It says nothing while it waits. A signal that comes before it listens kills it (no code): then it gets more time.
    let code: number | null = null;
    for (let delay = 400; code === null && delay < 10_000; delay *= 2) {
      const child = spawn(process.execPath, [program, "-p", "-"], { env, stdio: ["pipe", "ignore", "ignore"] });
      const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
      setTimeout(() => child.kill("SIGINT"), delay);
      code = await ended;
    }
    expect(code).toBe(130);
  });

  it("ends without a message with 1 when its output pipe is closed", async () => {
    const child = spawn(process.execPath, [program, "--help"], { env, stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.destroy();
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  });
});

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
