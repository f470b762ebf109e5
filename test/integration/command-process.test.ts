// The program as a process: signals, pipes that close, and the exit code that the shell sees.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { packageRoot } from "../../src/base/package-root.ts";

const program = path.join(packageRoot(), "dist", "program", "palimpsest.js");
const home = mkdtempSync(path.join(tmpdir(), "palimpsest-process-"));
const env = { PATH: process.env["PATH"], HOME: home };

afterAll(() => rmSync(home, { recursive: true, force: true }));

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
