// The chat without a terminal: a line in, a reply out.
import { PassThrough } from "node:stream";
import { RequestError } from "../../../src/base/errors.ts";
import { createFakeAgent } from "../../support/fake-agent.ts";
import { runInWorld } from "../../support/fake-world.ts";
import { reply, stubRuntime, talkingRuntime } from "../../support/stub-runtime.ts";

describe("palimpsest without a terminal", () => {
  it("answers each line, skips blank ones and ends with the input", async () => {
    const runtime = talkingRuntime();
    const run = await runInWorld([], { runtime, input: "one\r\n\n  \ntwo" });
    expect(run).toMatchObject({ exitCode: 0, stdout: "You said: one\nYou said: two\n" });
    expect(runtime.calls[0]?.[2]).toMatchObject({ conversation: "last" });
    expect(runtime.calls.at(-1)).toEqual(["close"]);
  });

  it("loses no line of many that arrive together during slow turns", async () => {
    const lines = Array.from({ length: 200 }, (_, index) => `line ${index}`);
    const runtime = talkingRuntime(createFakeAgent({ turns: (text) => [0, ...reply(text)] }));
    const run = await runInWorld(["chat", "--quiet"], { runtime, input: lines.join("\n") });
    expect(run.stdout).toBe(`${lines.join("\n")}\n`);
  });

  it("ends at /exit, and sends other lines that begin with a slash", async () => {
    const input = "/usr/bin is a folder\n/exit\nnever sent\n";
    const run = await runInWorld([], { runtime: talkingRuntime(), input });
    expect(run.stdout).toBe("You said: /usr/bin is a folder\n");
  });

  it("does not send a chat command, reports it, and continues", async () => {
    const input = "/memory human\n/Search boats\n /memory\n/memories\n";
    const run = await runInWorld(["--quiet"], { runtime: talkingRuntime(), input });
    expect(run).toMatchObject({ exitCode: 2, stdout: "You said:  /memory\nYou said: /memories\n" });
    expect(run.stderr.split("\n").map((line) => line.slice(0, 38))).toEqual([
      "palimpsest: /memory works only in the ",
      "palimpsest: /search works only in the ",
      "",
    ]);
    expect(run.stderr).toContain("put a space before it");
  });

  it.each([
    [null, "Model changed to openai/b. Back: /model openai/a"],
    ["http://b", "Model changed to openai/b. Back: palimpsest agents set -a sam baseUrl none; /model openai/a"],
  ])("says that --model has changed the agent, and how to go back (its new address: %s)", async (baseUrl, words) => {
    const { record } = createFakeAgent();
    const recordOf = (model: string, address: string | null) => ({
      ...record,
      model,
      settings: { ...record.settings, baseUrl: address },
    });
    const agent = { ...createFakeAgent(), record: recordOf("openai/b", baseUrl) };
    const runtime = stubRuntime({ agents: { open: async () => agent, find: async () => recordOf("openai/a", null) } });
    const run = await runInWorld(["-m", "openai/b"], { runtime, input: "" });
    expect(run.stderr).toBe(`palimpsest: ${words}\n`);
    expect((await runInWorld(["-m", "openai/b"], { runtime: talkingRuntime(agent), input: "" })).stderr).toBe("");
  });

  it("does nothing with no input at all", async () => {
    const run = await runInWorld(["--quiet"], { runtime: talkingRuntime(), input: "" });
    expect(run).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
  });

  it("continues after a failed turn, and ends with its exit code", async () => {
    const busy = new RequestError("agent_busy", "Another process is at it.");
    const runtime = talkingRuntime(createFakeAgent({ turns: (text) => (text === "bad" ? [busy] : reply(text)) }));
    const run = await runInWorld(["--quiet"], { runtime, input: "one\nbad\ntwo\n" });
    expect(run).toMatchObject({ exitCode: 4, stdout: "one\ntwo\n", stderr: "palimpsest: Another process is at it.\n" });
  });

  it("ends with 130 when it is interrupted while it waits", async () => {
    const interruption = new AbortController();
    const input = new PassThrough();
    const running = runInWorld([], { runtime: talkingRuntime(), input, signal: interruption.signal });
    input.write("one\n");
    setTimeout(() => interruption.abort(), 20);
    expect(await running).toMatchObject({ exitCode: 130, stdout: "You said: one\n" });
  });
});
