// `compactions list` and `undo`, and `agents set`: what they ask of the runtime, and what they print.
import { createFakeRuntime } from "../../support/fake-runtime.ts";
import { runInWorld } from "../../support/fake-world.ts";

async function run(...argv: readonly string[]) {
  const runtime = createFakeRuntime({ agents: ["main"] });
  return { ...(await runInWorld(argv, { runtime })), calls: runtime.calls };
}

describe("compactions", () => {
  it("are listed for the last used conversation, with ranges, tokens, cost and undo", async () => {
    const { stdout, exitCode, calls } = await run("compactions", "list", "--limit", "5");
    const [heading, undone, standing] = stdout.split("\n");
    expect(heading).toMatch(/^MADE \(UTC\) +STRATEGY +MESSAGES +TOKENS +BY +COST +UNDONE +SUMMARY$/u);
    expect(undone).toMatch(/ring +11-20 +900 -> 420 +demo +unknown +2026-.* They spoke of sailing\.$/u);
    expect(standing).toMatch(/ \$0\.0012 +They spoke/u);
    expect(exitCode).toBe(0);
    expect(calls.slice(-3)).toEqual([
      ["agents.open", "main", { conversation: { id: "conversation-1" }, withoutCalls: true }],
      ["agent.compactions", 5],
      ["close"],
    ]);
  });

  it("are listed as JSON with all stored data", async () => {
    const [first, second] = JSON.parse((await run("compactions", "list", "--json", "-r", "conversation-1")).stdout);
    expect(first).toMatchObject({ dollars: null, undoneAt: expect.any(String) });
    expect(second).toEqual({
      id: "compaction-1",
      strategy: "ring",
      fromPosition: 11,
      throughPosition: 20,
      throughId: "message-20",
      threadMessages: 30,
      rangeTokens: 500,
      tokensBefore: 900,
      tokensAfter: 420,
      model: "demo",
      usage: { inputTokens: 500, outputTokens: 20, cachedInputTokens: 0 },
      dollars: 0.00123,
      focus: null,
      trust: "model",
      summary: "They spoke of sailing.",
      at: expect.any(String),
      undoneAt: null,
    });
  });

  it("are undone one at a time", async () => {
    const { stdout, calls } = await run("compactions", "undo");
    expect(stdout).toBe("0 messages are in the window again: 100 -> 400 tokens.\n");
    expect(calls).toContainEqual(["agent.undoCompaction"]);
    expect(JSON.parse((await run("compactions", "undo", "--json")).stdout)).toEqual({
      compactions: ["compaction-1"],
      messages: 0,
      tokensBefore: 100,
      tokensAfter: 400,
    });
  });

  it("create no conversation if there is none", async () => {
    const runtime = createFakeRuntime({
      agents: ["main"],
      override: { conversations: { ...createFakeRuntime().conversations, list: async () => [] } },
    });
    const { stderr, exitCode } = await runInWorld(["compactions", "undo"], { runtime });
    expect(stderr).toContain('"main" has no conversation yet');
    expect({ exitCode, calls: runtime.calls }).toEqual({ exitCode: 1, calls: [["close"]] });
  });
});

describe("agents set", () => {
  it("parses settings by type, and removes limits", async () => {
    const pairs = [
      "compaction",
      "ring",
      "keepLast",
      "20",
      "warnAt",
      "0.5",
      "compactMessages",
      "none",
      "approvalTimeout",
      "never",
    ];
    const { stdout, calls } = await run(
      "agents",
      "set",
      "-a",
      "main",
      ...pairs,
      "approvals",
      '["pay"]',
      "timeZone",
      "Asia/Tokyo",
    );
    expect(stdout).toBe(
      'Changed compaction, keepLast, warnAt, compactMessages, approvalTimeout, approvals, timeZone of "main".\n',
    );
    expect(calls[0]).toEqual([
      "agents.update",
      "main",
      {
        compaction: "ring",
        keepLast: 20,
        warnAt: 0.5,
        compactMessages: null,
        approvalTimeout: null,
        approvals: ["pay"],
        timeZone: "Asia/Tokyo",
      },
    ]);
  });

  it.each([
    [["keepLast", "20", "warnAt"], "warnAt has no value.*-a NAME"],
    [["keepLast", "20", "keepLast", "30"], "keepLast twice"],
    [["keepLast"], "an argument is missing"],
  ])("refuses %j", async (words, message) => {
    const { stderr, exitCode, calls } = await run("agents", "set", ...words);
    expect(stderr).toMatch(new RegExp(message, "iu"));
    expect(exitCode).toBe(2);
    expect(calls.filter(([name]) => name === "agents.update")).toEqual([]);
  });

  it("passes values that are not JSON to the settings unchanged", async () => {
    const { calls } = await run("agents", "set", "retention", "{steps", "timeZone", "5x");
    expect(calls[0]).toEqual(["agents.update", "main", { retention: "{steps", timeZone: "5x" }]);
  });
});
