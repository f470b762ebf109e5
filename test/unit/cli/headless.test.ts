// One message, one turn: what is printed where, and with which exit code. The complete output of real turns is in
// test/pins/headless-golden, that of wrong flags in a session of test/parity.
import { PassThrough } from "node:stream";
import type { EventBody } from "../../../src/agent/events.ts";
import { ConfigError, LimitError, RequestError, StoreError } from "../../../src/base/errors.ts";
import { demoDisclaimer } from "../../../src/model/llm/demo/answer-question.ts";
import { createFakeAgent, type FakeAgentOptions, stepStart } from "../../support/fake-agent.ts";
import { type CliOptions, runInWorld } from "../../support/fake-world.ts";
import { reply, stubRuntime, talkingRuntime } from "../../support/stub-runtime.ts";

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

/** Runs with an agent that echoes. */
async function run(argv: readonly string[], options: CliOptions = {}) {
  const runtime = talkingRuntime();
  return { ...(await runInWorld(argv, { runtime, ...options })), calls: runtime.calls };
}

/** Runs a prompt with these turns. */
const runTurns = (turns: NonNullable<FakeAgentOptions["turns"]>, ...argv: readonly string[]) =>
  runInWorld(["-p", "Hi", ...argv], { runtime: talkingRuntime(createFakeAgent({ turns, model: "openai/x" })) });

describe("palimpsest -p", () => {
  it("prints the reply and nothing else on stdout, and that the model is the demo on stderr", async () => {
    expect(demoDisclaimer).toContain("demo model");
    const stderr = "palimpsest: demo model: pattern rules, not a language model. Change: palimpsest configure\n";
    expect(stderr).toContain(demoDisclaimer);
    expect(await run(["-p", "Hello"])).toMatchObject({ exitCode: 0, stdout: "You said: Hello\n", stderr });
    expect((await run(["-p", "Hello", "--quiet"])).stderr).toBe("");
    expect((await runTurns([reply("Hello")])).stderr).toBe("");
  });

  it.each([
    ["-p", "-"],
    ["--output-format", "text"],
  ])("reads the whole of standard input as one message with %s %s", async (...argv) => {
    const read = await run(argv, { input: "two\r\nlines\n" });
    expect(read).toMatchObject({ exitCode: 0, stdout: "You said: two\nlines\n" });
  });

  it("does not wait for standard input when the text is given", async () => {
    expect((await run(["-p", "Hello"], { input: new PassThrough() })).exitCode).toBe(0);
  });

  it("creates the agent on first use, with the default starters, in a new conversation", async () => {
    const create = { persona: "I am the default.", human: "I know nobody yet." };
    const { calls } = await run(["-p", "Hello"]);
    expect(calls).toEqual([["agents.open", "main", { conversation: "new", create }], ["close"]]);
  });

  it("passes the flags for agent, conversation and model", async () => {
    const agent = ["-a", "scout", "-r", "c-7", "-m", "openai/x", "--persona", "archivist", "--memory", "task"];
    const { opened, calls } = await run(["-p", "Hi", ...agent, "--max-steps", "3", "--user", "ada"]);
    const create = { persona: "I file things.", memoryType: "task" };
    expect(calls).toContainEqual(["agents.open", "scout", { conversation: { id: "c-7" }, model: "openai/x", create }]);
    expect(opened).toEqual({ model: "openai/x", "max-steps": "3", user: "ada" });
    expect((await run(["-p", "Hi", "-c"])).calls[0]?.[2]).toMatchObject({ conversation: "last" });
  });

  it("applies the limits of turns to this one, also for an agent that exists", async () => {
    const agent = createFakeAgent({ model: "openai/x" });
    const told: unknown[] = [];
    const send = ((text: string, options: object) => (told.push(options), agent.send(text))) as typeof agent.send;
    const argv = ["-p", "Hi", "--max-steps", "3", "--max-turn-tokens", "900", "--max-turn-dollars", "0.5"];
    const { stderr } = await runInWorld(argv, { runtime: talkingRuntime({ ...agent, send }, ["main"]) });
    expect(stderr).not.toContain("exists already");
    expect(told).toMatchObject([{ maxSteps: 3, budget: { tokens: 900, dollars: 0.5 } }]);
  });

  it("strips control sequences from replies and notices", async () => {
    const evil = "\u001b]52;c;aGk=\u0007safe\u009b2J\rover\u202e";
    const found = await runTurns([[{ type: "warning", code: "summary-failed", message: evil }, ...reply(evil)]]);
    expect(found).toMatchObject({ stdout: "safe\nover\n", stderr: "palimpsest: warning: safe over\n" });
  });

  it("reports memory edits, compactions, retries and calls that wait on stderr", async () => {
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
    const call = { step: 1, callId: "c", name: "pay", arguments: '{"euros":5}', preview: "pays Ada" };
    const asked = { type: "approval-requested", ...call, expiresAt: null } as const;
    const turn = [edit, compaction, retry, asked, ...ending({ stopReason: "awaiting-approval" })];
    const told = await runTurns([turn]);
    expect(told).toMatchObject({ exitCode: 5, stdout: "" });
    expect(told.stderr.split("\n").slice(0, 5)).toEqual([
      "palimpsest: memory: human was changed (5/20 characters, revision 1)",
      "palimpsest: compaction: 4 messages were summarized, 900 -> 200 tokens",
      "palimpsest: retrying the model call in 1.5 s: overloaded",
      'palimpsest: approval needed: pay {"euros":5} (approvals approve c, or approvals deny c)',
      "palimpsest: pays Ada",
    ]);
    expect(JSON.parse((await runTurns([turn], "--output-format", "json")).stdout)).toMatchObject({
      pending_approvals: [
        { call_id: "c", name: "pay", arguments: '{"euros":5}', preview: "pays Ada", expires_at: null },
      ],
    });
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
    const ended = await runTurns([turn], "--quiet");
    expect(ended.exitCode).toBe(exitCode);
    expect(ended.stderr).toMatch(message);
    expect(ended.stderr).toMatch(/^palimpsest: [^\n]+\n$/u);
    const end = turn.at(-1);
    expect(ended.stdout).toBe(end?.type === "turn-end" && end.text.trim() !== "" ? `${end.text}\n` : "");
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
    const runtime = talkingRuntime(createFakeAgent({ turns: [[error]] }));
    const failed = await runInWorld(["-p", "Hi", "--quiet"], { runtime });
    expect(failed).toMatchObject({ exitCode, stdout: "", stderr: `palimpsest: ${message}\n` });
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

describe("a turn that fails", () => {
  it("ends stream-json with a result", async () => {
    const { exitCode, stdout } = await runTurns(
      [[reply("")[0]!, new TypeError("broken")]],
      "--output-format",
      "stream-json",
    );
    const lines = stdout.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { type: "system" },
      { type: "turn-start" },
      { type: "result", subtype: "error_failed", turn_id: "turn-1", error: { code: "unexpected" } },
    ]);
    expect(exitCode).toBe(1);
  });

  it("has its model calls in the result", async () => {
    const calls = [1, 2].flatMap((step): EventBody[] => [stepStart(step), { type: "step-end", step, usage }]);
    const { stdout } = await runTurns([[...calls, new TypeError("broken")]], "--output-format", "json");
    expect(JSON.parse(stdout)).toMatchObject({
      subtype: "error_failed",
      steps: 2,
      usage: { input_tokens: 2, output_tokens: 2, cached_input_tokens: 0 },
    });
  });
});

describe("interruption", () => {
  it("ends waiting for standard input", async () => {
    const interruption = new AbortController();
    const running = runInWorld(["-p", "-"], { input: new PassThrough(), signal: interruption.signal });
    interruption.abort();
    expect(await running).toMatchObject({ exitCode: 130, opened: undefined });
  });

  it("ends a listing at once", async () => {
    const interruption = new AbortController();
    const runtime = stubRuntime({ backup: () => new Promise(() => interruption.abort()) });
    const stopped = await runInWorld(["backup", "/nowhere/at-all.backup"], { runtime, signal: interruption.signal });
    expect(stopped).toMatchObject({ exitCode: 130, stderr: "palimpsest: interrupted\n" });
  });
});
