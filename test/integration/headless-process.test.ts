// Headless mode as a process: signals during a turn, a reader that closes, closed streams, unusual terminals.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import path from "node:path";
import { packageRoot } from "../../src/base/package-root.ts";
import { createHeldModelServer, type HeldModelServer } from "../support/held-model-server.ts";
import { runProgram } from "../support/program.ts";
import { kindsOf, readStream, resultOf, userLine } from "../support/stream-lines.ts";
import { useFolder } from "../support/folders.ts";

const program = path.join(packageRoot(), "dist", "program", "palimpsest.js");
const home = useFolder();
const { PATH, NODE_OPTIONS } = process.env;
const env = { PATH, NODE_OPTIONS, HOME: home, PALIMPSEST_DATA_DIR: home };
const held: HeldModelServer[] = [];

afterEach(async () => {
  for (const server of held.splice(0)) await server.close();
});

/** Runs it on a model that has sent its first word and waits. */
async function inTheMiddle(...argv: string[]) {
  const server = await createHeldModelServer();
  held.push(server);
  const model = ["-m", "openai/held", "--base-url", server.url, "--embedding", "none", "--quiet"];
  const child = spawn(process.execPath, [program, ...argv, ...model], { env, cwd: home });
  const output = collect(child);
  await server.asked();
  return { child, server, output };
}

function collect(child: ChildProcess) {
  const told = { stdout: "", stderr: "" };
  child.stdout?.on("data", (text: Buffer) => (told.stdout += text.toString()));
  child.stderr?.on("data", (text: Buffer) => (told.stderr += text.toString()));
  const code = new Promise<number | null>((resolve) => child.on("close", resolve));
  return { told, code };
}

describe("a signal in the middle of a turn", () => {
  it("interrupts it: the result is last, the partial text is kept, and the code is 130", async () => {
    const { child, output } = await inTheMiddle("-p", "Hi", "--output-format", "stream-json", "-a", "signalled");
    child.kill("SIGINT");
    expect(await output.code).toBe(130);
    const records = readStream(output.told.stdout);
    expect(kindsOf(records)[0]).toBe("system");
    expect(resultOf(records)).toMatchObject({ subtype: "error_interrupted", result: "Well", num_turns: 1 });
    expect(output.told.stderr).toBe("palimpsest: interrupted; completed work is kept\n");
    const listed = await runProgram(["conversations", "list", "-a", "signalled", "--json"], { home });
    expect(JSON.parse(listed.stdout)).toMatchObject([{ preview: "Hi", messages: 2 }]);
  });

  it("twice exits at once, with 130", async () => {
    const { child, output } = await inTheMiddle("-p", "Hi", "--output-format", "stream-json", "-a", "twice");
    child.kill("SIGINT");
    child.kill("SIGTERM");
    expect(await output.code).toBe(130);
  });
});

describe("a closed output pipe", () => {
  it("ends the turn without a message with 1, and closes the store cleanly", async () => {
    const { child, server, output } = await inTheMiddle("-p", "Hi", "--output-format", "stream-json", "-a", "piped");
    child.stdout.destroy();
    server.finish();
    expect(await output.code).toBe(1);
    expect(output.told.stderr).toBe("");
    const next = await runProgram(["-p", "Still there?", "-c", "-a", "piped", "-m", "demo", "--quiet"], { home });
    expect(next).toMatchObject({ code: 0, stderr: "" });
    expect(next.stdout).not.toBe("");
  });
});

describe("closed streams", () => {
  const shell = (script: string) =>
    spawnSync("sh", ["-c", script, "sh", process.execPath, program], { env, cwd: home, encoding: "utf8" });

  it("reports that there is nothing to send if standard input is closed", () => {
    const { status, stdout, stderr } = shell('"$1" "$2" -p - <&-');
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain("Standard input is empty");
  });

  it("does not need standard input if the text is given", () => {
    expect(shell('"$1" "$2" -p Hello --quiet <&-')).toMatchObject({ status: 0, stderr: "" });
  });

  it("runs the turn if standard output was closed from the start", () => {
    expect(shell('"$1" "$2" -p Hello --quiet >&-')).toMatchObject({ status: 0, stdout: "", stderr: "" });
  });
});

describe("unusual environments", () => {
  it("prints the same with TERM=dumb, CI=1 and 20 columns", async () => {
    const argv = ["-p", "My name is Ada and I live in Lisbon.", "--ephemeral", "--quiet"];
    const plain = await runProgram(argv, { home });
    const odd = await runProgram(argv, { home, env: { TERM: "dumb", CI: "1", COLUMNS: "20" } });
    expect(plain).toMatchObject({ code: 0, stderr: "" });
    expect(odd).toEqual(plain);
  });

  it("reports that a message is longer than the window, and stores it", async () => {
    const argv = ["-p", "-", "--output-format", "json", "--quiet", "-a", "long"];
    const run = await runProgram(argv, { home, input: "one two three ".repeat(70_000) });
    expect(run.code).toBe(1);
    expect(JSON.parse(run.stdout)).toMatchObject({ subtype: "error_context_overflow", num_turns: 1 });
    expect(run.stderr).toMatch(/^palimpsest: [^\n]+window[^\n]*\n$/u);
  });

  it("reads lines until the input ends", async () => {
    const argv = ["--input-format", "stream-json", "--output-format", "stream-json", "--quiet", "-a", "lines"];
    const run = await runProgram(argv, { home, input: userLine("My name is Ada.") + userLine("What is my name?") });
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(resultOf(readStream(run.stdout))).toMatchObject({ num_turns: 2, total_cost_usd: 0 });
  });
});
