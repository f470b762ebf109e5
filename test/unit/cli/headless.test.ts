// One message, one turn: what is printed where, and with which exit code.
import { PassThrough } from "node:stream";
import type { EventBody } from "../../../src/agent/events.ts";
import { ConfigError, LimitError, RequestError, StoreError } from "../../../src/base/errors.ts";
import { demoDisclaimer } from "../../../src/model/llm/demo/answer-question.ts";
import { createFakeRuntime, reply } from "../../support/fake-runtime.ts";
import { runInWorld } from "../../support/fake-world.ts";

const atLimit = new LimitError({
  limit: "daily-tokens",
  retryAfterMs: 60_000,
  text: "The user may use 5 tokens a day.",
});

const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0 };
const ending = (end: Partial<Extract<EventBody, { type: "turn-end" }>>): readonly EventBody[] => [
  { type: "turn-start", messageId: "m" },
  { type: "turn-end", stopReason: "end-turn", text: "", steps: 1, usage, ...end },
];

describe("palimpsest -p", () => {
  it("prints the reply and nothing else on stdout, notices on stderr", async () => {
    const run = await runInWorld(["-p", "Hello"]);
    expect(run).toMatchObject({ exitCode: 0, stdout: "You said: Hello\n" });
    expect(run.stderr).toBe(
      "palimpsest: demo model: pattern rules, not a language model. Change: palimpsest configure\n",
    );
  });

  it("names the demo model by its own name", async () => {
    expect((await runInWorld(["-p", "Hello"])).stderr).toContain(demoDisclaimer);
  });

  it("says nothing on stderr with --quiet, or about another model", async () => {
    expect((await runInWorld(["-p", "Hello", "--quiet"])).stderr).toBe("");
    const runtime = createFakeRuntime({ model: "openai/x" });
    expect((await runInWorld(["-p", "Hello"], { runtime })).stderr).toBe("");
  });

  it.each([
    ["-p", "-"],
    ["--output-format", "text"],
  ])("reads the whole of standard input as one message with %s %s", async (...argv) => {
    const run = await runInWorld(argv, { input: "two\r\nlines\n" });
    expect(run).toMatchObject({ exitCode: 0, stdout: "You said: two\nlines\n" });
  });

  it("does not wait for standard input when the text is given", async () => {
    expect((await runInWorld(["-p", "Hello"], { input: new PassThrough() })).exitCode).toBe(0);
  });

  it("creates the agent on first use, with the default starters, in a new conversation", async () => {
    const runtime = createFakeRuntime();
    await runInWorld(["-p", "Hello"], { runtime });
    expect(runtime.calls).toEqual([
      [
        "agents.open",
        "main",
        { conversation: "new", create: { persona: "I am the default.", human: "I know nobody yet." } },
      ],
      ["close"],
    ]);
  });

  it("passes the flags for agent, conversation and model", async () => {
    const runtime = createFakeRuntime();
    const argv = [
      "-p",
      "Hi",
      "-a",
      "scout",
      "-r",
      "c-7",
      "-m",
      "openai/x",
      "--persona",
      "archivist",
      "--memory",
      "task",
    ];
    const { opened } = await runInWorld([...argv, "--max-steps", "3", "--user", "ada"], { runtime });
    const create = { persona: "I file things.", memoryType: "task" };
    expect(runtime.calls[0]).toEqual([
      "agents.open",
      "scout",
      { conversation: { id: "c-7" }, model: "openai/x", create },
    ]);
    expect(opened).toEqual({ model: "openai/x", "max-steps": "3", user: "ada" });
  });

  it("continues the last conversation with -c", async () => {
    const runtime = createFakeRuntime();
    await runInWorld(["-p", "Hi", "-c"], { runtime });
    expect(runtime.calls[0]?.[2]).toMatchObject({ conversation: "last" });
  });

  it("reports flags that have no effect on an existing agent", async () => {
    const runtime = createFakeRuntime({ agents: ["scout"] });
    const run = await runInWorld(["-p", "Hi", "-a", "scout", "--persona", "archivist", "--max-output-tokens", "3"], {
      runtime,
    });
    expect(run.stderr).toContain('"scout" exists already, and --persona, --max-output-tokens shape new agents only');
    expect(run.stderr).toContain("`palimpsest agents set` changes settings");
    expect(run.exitCode).toBe(0);
  });

  it("does not report limits that apply to the run", async () => {
    const runtime = createFakeRuntime({ agents: ["scout"], model: "openai/x" });
    const argv = ["--max-steps", "3", "--max-turn-tokens", "900", "--max-turn-dollars", "0.5"];
    const run = await runInWorld(["-p", "Hi", "-a", "scout", ...argv], { runtime });
    expect(run).toMatchObject({ exitCode: 0, stderr: "" });
    expect(runtime.calls).toContainEqual(["agent.send", { maxSteps: 3, budget: { tokens: 900, dollars: 0.5 } }]);
  });

  it.each([
    ["--max-steps", "0"],
    ["--max-steps", "1.5"],
    ["--max-turn-dollars", "0"],
  ])("refuses %s %s before anything is opened", async (...argv) => {
    const run = await runInWorld(["-p", "Hi", ...argv]);
    expect(run).toMatchObject({ exitCode: 2, stdout: "", opened: undefined });
    expect(run.stderr).toContain(argv[0]);
  });

  it("strips control sequences from replies and notices", async () => {
    const evil = "\u001b]52;c;aGk=\u0007safe\u009b2J\rover\u202e";
    const runtime = createFakeRuntime({
      model: "openai/x",
      turn: () => [{ type: "warning", code: "summary-failed", message: evil }, ...reply(evil)],
    });
    const run = await runInWorld(["-p", "Hi"], { runtime });
    expect(run.stdout).toBe("safe\nover\n");
    expect(run.stderr).toBe("palimpsest: warning: safe over\n");
  });

  it("reports memory edits, compactions and retries on stderr", async () => {
    const edit = {
      type: "memory-edit",
      step: 1,
      callId: "c",
      label: "human",
      before: "",
      after: "Ada 👍",
      revision: 1,
      limit: 20,
    } as const;
    const figures = { messages: 4, tokensBefore: 900, tokensAfter: 200, summary: "s" };
    const compaction = { type: "compaction", id: "k", strategy: "recursive", ...figures } as const;
    const retry = { type: "retry", step: 1, attempt: 1, delayMs: 1500, reason: "overloaded" } as const;
    const runtime = createFakeRuntime({ model: "openai/x", turn: () => [edit, compaction, retry, ...reply("ok")] });
    expect((await runInWorld(["-p", "Hi"], { runtime })).stderr.split("\n")).toEqual([
      "palimpsest: memory: human was changed (5/20 characters, revision 1)",
      "palimpsest: compaction: 4 messages were summarized, 900 -> 200 tokens",
      "palimpsest: retrying the model call in 1.5 s: overloaded",
      "",
    ]);
  });
});

describe("exit codes", () => {
  it.each([
    ["an empty reply", ending({ text: " " }), 1, /without a reply/u],
    ["too many steps", ending({ stopReason: "max-steps", text: "so far" }), 3, /max-steps/u],
    ["a budget", ending({ stopReason: "budget" }), 3, /budget/u],
    ["a length", ending({ stopReason: "length", text: "cut" }), 3, /max-output-tokens/u],
    ["a refusal", ending({ stopReason: "refusal" }), 1, /refused/u],
    ["an overflow", ending({ stopReason: "context-overflow" }), 1, /window/u],
    ["an interruption", ending({ stopReason: "interrupted", text: "half" }), 130, /interrupted/u],
    ["an approval", ending({ stopReason: "awaiting-approval" }), 5, /approval/u],
    [
      "a failing model",
      ending({ stopReason: "model-error", error: { code: "model_auth", message: "No such key." } }),
      1,
      /No such key/u,
    ],
    [
      "a busy conversation",
      ending({ stopReason: "model-error", error: { code: "agent_busy", message: "Busy." } }),
      4,
      /Busy/u,
    ],
  ])("%s", async (_, turn, exitCode, message) => {
    const runtime = createFakeRuntime({ turn: () => turn });
    const run = await runInWorld(["-p", "Hi", "--quiet"], { runtime });
    expect(run.exitCode).toBe(exitCode);
    expect(run.stderr).toMatch(message);
    expect(run.stderr).toMatch(/^palimpsest: [^\n]+\n$/u);
    const end = turn.at(-1);
    expect(run.stdout).toBe(end?.type === "turn-end" && end.text.trim() !== "" ? `${end.text}\n` : "");
  });

  it.each([
    ["a busy agent", new RequestError("agent_busy", "Another process is at it."), 4, "Another process is at it."],
    ["a user at a limit", atLimit, 3, "The user may use 5 tokens a day. Nothing was written."],
    ["a missing conversation", new RequestError("conversation_not_found", "No conversation."), 1, "No conversation."],
    [
      "a bad setting",
      new ConfigError("openai/x needs a key: set OPENAI_API_KEY."),
      2,
      "openai/x needs a key: set OPENAI_API_KEY.",
    ],
    ["a failing store", new StoreError("store_failed", "The database failed."), 1, "The database failed."],
    [
      "anything else",
      new TypeError("x is not\na function"),
      1,
      "unexpected error: x is not a function (PALIMPSEST_DEBUG=1 prints the stack)",
    ],
  ])("%s, thrown in a turn", async (_, error, exitCode, message) => {
    const runtime = createFakeRuntime({
      turn: () => {
        throw error;
      },
    });
    const run = await runInWorld(["-p", "Hi", "--quiet"], { runtime });
    expect(run).toMatchObject({ exitCode, stdout: "", stderr: `palimpsest: ${message}\n` });
    expect(runtime.calls.at(-1)).toEqual(["close"]);
  });

  it("shows stacks and causes only on request", async () => {
    const openRuntime = async (): Promise<never> => {
      throw new StoreError("store_unreachable", "Cannot reach it.", { cause: new TypeError("connect ECONNREFUSED") });
    };
    const plain = await runInWorld(["-p", "Hi"], { openRuntime });
    expect(plain).toMatchObject({ exitCode: 1, stderr: "palimpsest: Cannot reach it.\n" });
    const debug = await runInWorld(["-p", "Hi"], { openRuntime, debug: true });
    expect(debug.stderr).toContain("headless.test.ts");
    expect(debug.stderr).toContain("caused by: TypeError: connect ECONNREFUSED");
  });
});

describe("interruption", () => {
  it("aborts the turn and ends with 130", async () => {
    const interruption = new AbortController();
    const runtime = createFakeRuntime({
      turn: async function* (_, signal) {
        yield* reply("").slice(0, 2);
        interruption.abort();
        signal?.throwIfAborted();
      },
    });
    const run = await runInWorld(["-p", "Hi", "--output-format", "json"], { runtime, signal: interruption.signal });
    expect(run.exitCode).toBe(130);
    expect(JSON.parse(run.stdout)).toMatchObject({ subtype: "error_interrupted", is_error: true, turn_id: "turn-1" });
    expect(runtime.calls.at(-1)).toEqual(["close"]);
  });

  it("ends waiting for standard input", async () => {
    const interruption = new AbortController();
    const running = runInWorld(["-p", "-"], { input: new PassThrough(), signal: interruption.signal });
    interruption.abort();
    expect(await running).toMatchObject({ exitCode: 130, opened: undefined });
  });

  it("ends a listing at once", async () => {
    const interruption = new AbortController();
    const runtime = createFakeRuntime({ override: { backup: () => new Promise(() => interruption.abort()) } });
    const run = await runInWorld(["backup", "/nowhere/at-all.backup"], { runtime, signal: interruption.signal });
    expect(run).toMatchObject({ exitCode: 130, stderr: "palimpsest: interrupted\n" });
  });
});
