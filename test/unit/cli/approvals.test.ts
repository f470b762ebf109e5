// `palimpsest approvals list`, `approvals approve` and `approvals deny`: what they decide about, what they print, and what they refuse.
import type { EventBody } from "../../../src/agent/events.ts";
import { createFakeRuntime } from "../../support/fake-runtime.ts";
import { runInWorld } from "../../support/fake-world.ts";
import { waitingCall } from "../../support/fake-agent.ts";

const runtimeWith = (approvals = [waitingCall]) => createFakeRuntime({ agents: ["main"], approvals });
const decisionsOf = ({ calls }: ReturnType<typeof runtimeWith>) => calls.filter(([name]) => name.startsWith("agent."));

test("approvals list shows each complete call, with its id, its time and its conversation", async () => {
  const previewed = { ...waitingCall, preview: "pays 5 euros:\n- to Ada" };
  const { stdout } = await runInWorld(["approvals", "list"], { runtime: runtimeWith([previewed]) });
  expect(stdout).toBe(
    "call-1  pay  asked 2026-11-21 10:00, until 2026-11-22 10:00  conversation 01941f29-7c00-7000-8000-000000000001\n" +
      '  {"euros":5}\n' +
      "  pays 5 euros:\n  - to Ada\n",
  );
  const json = await runInWorld(["approvals", "list", "--json"], { runtime: runtimeWith() });
  expect(JSON.parse(json.stdout)).toEqual([
    {
      awaits: "approval",
      callId: "call-1",
      toolName: "pay",
      arguments: '{"euros":5}',
      preview: null,
      decision: null,
      requestedAt: "2026-11-21T10:00:00.000Z",
      expiresAt: "2026-11-22T10:00:00.000Z",
      conversationId: "01941f29-7c00-7000-8000-000000000001",
      messageId: "message-2",
    },
  ]);
  const none = await runInWorld(["approvals", "list"], { runtime: runtimeWith([]) });
  expect(none.stdout).toBe("No call waits for approval.\n");
});

test.each([
  [["approvals", "approve", "call-1"], ["agent.approve", "call-1", {}], "approved"],
  [
    ["approvals", "approve", "call-1", "--arguments", '{"euros":4}'],
    ["agent.approve", "call-1", { arguments: { euros: 4 } }],
    "approved",
  ],
  [["approvals", "deny", "call-1"], ["agent.deny", "call-1", {}], "denied"],
  [["approvals", "deny", "call-1", "--reason", "too much"], ["agent.deny", "call-1", { reason: "too much" }], "denied"],
])("%j decides in the call's conversation and prints the turn's reply", async (argv, decision, told) => {
  const runtime = runtimeWith();
  expect(await runInWorld(argv, { runtime })).toMatchObject({ exitCode: 0, stdout: `You said: ${told}\n` });
  expect(decisionsOf(runtime)).toEqual([decision]);
  expect(runtime.calls[0]).toEqual([
    "agents.open",
    "main",
    { conversation: { id: waitingCall.conversationId }, create: undefined },
  ]);
});

test("approve prints JSON as -p does", async () => {
  const { stdout } = await runInWorld(["approvals", "approve", "call-1", "--output-format", "json"], {
    runtime: runtimeWith(),
  });
  expect(JSON.parse(stdout)).toMatchObject({ type: "result", subtype: "success", result: "You said: approved" });
});

test.each([
  ["not JSON", "{euros", "expected a JSON object"],
  ["no object", "[5]", "expected a JSON object"],
])("--arguments that are %s decide nothing", async (_what, text, message) => {
  const runtime = runtimeWith();
  const run = await runInWorld(["approvals", "approve", "call-1", "--arguments", text], { runtime });
  expect(run).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(message) });
  expect(decisionsOf(runtime)).toEqual([]);
});

test("a call that does not wait is reported with the command that lists waiting calls", async () => {
  const runtime = runtimeWith();
  const run = await runInWorld(["approvals", "approve", "call-9"], { runtime });
  expect(run).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("palimpsest approvals list -a main") });
  expect(decisionsOf(runtime)).toEqual([]);
});

test("an id that waits in two conversations requires the conversation", async () => {
  const other = { ...waitingCall, conversationId: "another" };
  const runtime = runtimeWith([waitingCall, other]);
  const unclear = await runInWorld(["approvals", "deny", "call-1"], { runtime });
  expect(unclear).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("-r 01941f29") });
  expect(decisionsOf(runtime)).toEqual([]);
  expect((await runInWorld(["approvals", "deny", "call-1", "-r", "another"], { runtime })).exitCode).toBe(0);
});

test("a prompt whose turn waits reports the call on stderr and in JSON, and exits with 5", async () => {
  const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0 };
  const asked = { step: 1, callId: "c", name: "pay", arguments: '{"euros":5}', preview: "pays Ada", expiresAt: null };
  const turn: readonly EventBody[] = [
    { type: "turn-start", messageId: "m" },
    { type: "approval-requested", ...asked },
    { type: "turn-end", stopReason: "awaiting-approval", text: "", steps: 1, usage },
  ];
  const text = await runInWorld(["-p", "pay"], { runtime: createFakeRuntime({ turn: () => turn }) });
  expect(text).toMatchObject({ exitCode: 5, stdout: "" });
  expect(text.stderr).toContain(
    'approval needed: pay {"euros":5} (approvals approve c, or approvals deny c)\npalimpsest: pays Ada',
  );
  const json = await runInWorld(["-p", "pay", "--output-format", "json"], {
    runtime: createFakeRuntime({ turn: () => turn }),
  });
  expect(JSON.parse(json.stdout)).toMatchObject({
    subtype: "error_awaiting_approval",
    pending_approvals: [{ call_id: "c", name: "pay", arguments: '{"euros":5}', preview: "pays Ada", expires_at: null }],
  });
});
