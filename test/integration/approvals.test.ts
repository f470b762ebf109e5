// Tool calls that wait for the user's approval: what stops, what survives, and how each decision continues the turn.
import { z } from "zod";
import type { Agent } from "../../src/agent/agent.ts";
import { type RuntimeOptions, composeRuntime } from "../../src/runtime/compose/compose.ts";
import { StoreError } from "../../src/base/errors.ts";
import type { Store, UserStore } from "../../src/store/port/store.ts";
import { checkRequest } from "../support/check-request.ts";
import { createScriptedModel, type ScriptedReplies } from "../../src/model/llm/scripted/scripted-model.ts";
import type { Message } from "../../src/base/message/message.ts";
import { defineTool } from "../../src/tool/define-tool.ts";
import { useStore } from "../support/database.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { drain, lastOf } from "../support/runtime.ts";
import { append } from "../support/scene.ts";

const { test: opened } = useStore();
let names = 0;

/** What the tool was run with. */
type Payments = { readonly euros: number }[];

const payTool = (payments: Payments) =>
  defineTool({
    name: "pay",
    description: "Pays.",
    parameters: z.object({ euros: z.number().describe("How much.") }),
    approval: true,
    run: (args) => {
      payments.push(args);
      return `paid ${args.euros}`;
    },
  });

const pay = (euros: number | string, more: object = {}) => ({ name: "pay", arguments: { euros, ...more } });

/** Processes, one after the other, with one agent in one conversation. */
function process(options: RuntimeOptions = {}) {
  names += 1;
  const name = `payer-${names}`;
  const payments: Payments = [];
  const clock = createManualClock();
  const open = async (replies: ScriptedReplies, more: RuntimeOptions = {}, store = opened.store) => {
    const model = createScriptedModel({ replies });
    const runtime = await composeRuntime(
      {
        model: "scripted",
        models: [model],
        embedder: null,
        tools: { add: [payTool(payments)] },
        clock,
        ...options,
        ...more,
      },
      { store },
    );
    return { runtime, model, agent: await runtime.agents.open(name, { create: { human: "" } }) };
  };
  return { name, payments, clock, open };
}

/** The store of a process that dies at one of its writes: nothing is written from then on. */
const storeThatFails = (at: (store: UserStore) => Partial<UserStore>): Store => ({
  ...opened.store,
  as: (userId) => {
    const store = opened.store.as(userId);
    return { ...store, ...at(store) };
  },
});

const died = async (): Promise<never> => {
  throw new StoreError("store_failed", "The process died.");
};

/** The results of the last tool message in a request, as texts. */
function resultsOf(messages: readonly Message[] | undefined): readonly string[] {
  const parts = messages?.findLast(({ role }) => role === "tool")?.content ?? [];
  return parts.map((part) => (part.type === "tool-result" ? part.text : part.type));
}

const waitingId = (agent: Agent): string => agent.pendingApprovals[0]?.callId ?? "nothing waits";

describe("a call that needs approval", () => {
  test("stops the turn after the calls that need none", async () => {
    const { open, payments, name } = process();
    const { agent, runtime, model } = await open([
      { text: "Let me pay.", toolCalls: [append("before"), pay(5), append("after")] },
    ]);
    const events = await drain(agent.send("pay the bill"));
    expect(events.at(-1)).toMatchObject({ type: "turn-end", stopReason: "awaiting-approval", text: "Let me pay." });
    expect(events.filter(({ type }) => type === "approval-requested")).toMatchObject([
      { callId: "call_1_2", name: "pay", arguments: '{"euros":5}', expiresAt: "2026-01-02T00:00:00.000Z" },
    ]);
    expect(agent.memory.read("human")).toBe("before\nafter");
    expect(payments).toEqual([]);
    expect(model.requests).toHaveLength(1);
    expect(agent.pendingApprovals).toMatchObject([{ callId: "call_1_2", toolName: "pay", arguments: '{"euros":5}' }]);
    expect(await runtime.approvals.list(name)).toEqual(agent.pendingApprovals);
    expect(agent.unfinished).toBe(false);
    await expect(drain(agent.resume())).rejects.toMatchObject({ code: "approval_pending" });
    expect(
      await opened.ownerRows(
        `select call_id, status from tool_calls where message_id = '${agent.pendingApprovals[0]!.messageId}' order by position`,
      ),
    ).toEqual([
      { call_id: "call_1_1", status: "ok" },
      { call_id: "call_1_2", status: "awaiting-approval" },
      { call_id: "call_1_3", status: "ok" },
    ]);
  });

  test("runs in another process when approved there, followed by the model", async () => {
    const { open, payments } = process();
    const first = await open([{ toolCalls: [append("before"), pay(5), append("after")] }]);
    await drain(first.agent.send("pay the bill"));
    const { agent, model } = await open([{ text: "Paid." }]);
    const events = await drain(agent.approve(waitingId(agent)));
    expect(payments).toEqual([{ euros: 5 }]);
    expect(events.map(({ type }) => type).slice(0, 3)).toEqual(["turn-start", "tool-call", "tool-result"]);
    expect(events.at(-1)).toMatchObject({ stopReason: "end-turn", text: "Paid." });
    expect(agent.memory.read("human")).toBe("before\nafter");
    expect(resultsOf(model.requests[0]?.messages)).toEqual([
      '"human" now has 6 of 4000 characters. Line 1 now:\nbefore',
      "paid 5",
      '"human" now has 12 of 4000 characters. Line 2 now:\nafter',
    ]);
    expect(model.requests.flatMap(checkRequest)).toEqual([]);
    expect(agent.pendingApprovals).toEqual([]);
  });

  test("runs with the user's arguments, and the result tells the model so", async () => {
    const { open, payments } = process();
    const { agent, model } = await open([{ toolCalls: [pay(500)] }, { text: "Paid less." }]);
    await drain(agent.send("pay"));
    await drain(agent.approve(waitingId(agent), { arguments: { euros: 5 } }));
    expect(payments).toEqual([{ euros: 5 }]);
    expect(resultsOf(model.requests[1]?.messages)).toEqual([
      'The user approved this call with other arguments: {"euros":5}\npaid 5',
    ]);
  });

  test("keeps waiting if the user's arguments do not match the tool's schema", async () => {
    const { open, payments } = process();
    const { agent } = await open([{ toolCalls: [pay(500)] }, { text: "Paid." }]);
    await drain(agent.send("pay"));
    const wrong = agent.approve(waitingId(agent), { arguments: { euros: "five" } });
    await expect(drain(wrong)).rejects.toMatchObject({
      code: "input_invalid",
      message: expect.stringContaining("euros"),
    });
    expect(payments).toEqual([]);
    await drain(agent.approve(waitingId(agent)));
    expect(payments).toEqual([{ euros: 500 }]);
  });

  test("does not run when denied: the model gets the reason", async () => {
    const { open, payments } = process();
    const { agent, model } = await open([{ toolCalls: [pay(5), append("after")] }, { text: "As you wish." }]);
    await drain(agent.send("pay"));
    const end = await lastOf(agent.deny(waitingId(agent), { reason: "too expensive" }));
    expect(end).toMatchObject({ stopReason: "end-turn", text: "As you wish." });
    expect(payments).toEqual([]);
    expect(resultsOf(model.requests[1]?.messages)).toEqual([
      "pay was not run: the user denied it and says: too expensive",
      '"human" now has 5 of 4000 characters. Line 1 now:\nafter',
    ]);
    expect(agent.memory.read("human")).toBe("after");
    expect(model.requests.flatMap(checkRequest)).toEqual([]);
  });

  test("waits together with the others of its reply, and they are decided in any order", async () => {
    const { open, payments } = process();
    const { agent, model } = await open([{ toolCalls: [pay(1), pay(2), pay(3)] }, { text: "done" }]);
    const ids = (): readonly string[] => agent.pendingApprovals.map(({ callId }) => callId);
    const asked = await drain(agent.send("pay all"));
    expect(asked.filter(({ type }) => type === "approval-requested")).toHaveLength(3);
    expect(ids()).toEqual(["call_1_1", "call_1_2", "call_1_3"]);
    const events = await drain(agent.approve("call_1_2"));
    expect(events.filter(({ type }) => type === "approval-requested")).toMatchObject([
      { callId: "call_1_1" },
      { callId: "call_1_3" },
    ]);
    expect(events.at(-1)).toMatchObject({ stopReason: "awaiting-approval", steps: 0 });
    expect(payments).toEqual([{ euros: 2 }]);
    expect(await lastOf(agent.deny("call_1_1"))).toMatchObject({ stopReason: "awaiting-approval" });
    expect(ids()).toEqual(["call_1_3"]);
    expect(await lastOf(agent.approve("call_1_3"))).toMatchObject({ stopReason: "end-turn", text: "done" });
    expect(payments).toEqual([{ euros: 2 }, { euros: 3 }]);
    expect(model.requests.flatMap(checkRequest)).toEqual([]);
  });

  test("that was approved by a process that then died does not run again when another is decided", async () => {
    const { open, payments } = process();
    const failing = storeThatFails((store) => ({ turns: { ...store.turns, commitToolResult: died } }));
    const first = await open([{ toolCalls: [pay(1), pay(2)] }], {}, failing);
    await drain(first.agent.send("pay both"));
    await expect(drain(first.agent.approve("call_1_1"))).rejects.toThrow("The process died.");
    const { agent, model } = await open([{ text: "done" }]);
    expect(agent.unfinished).toBe(true);
    expect(agent.pendingApprovals.map(({ callId }) => callId)).toEqual(["call_1_2"]);
    expect(await lastOf(agent.approve("call_1_2"))).toMatchObject({ text: "done" });
    expect(payments).toEqual([{ euros: 1 }, { euros: 2 }]);
    expect(resultsOf(model.requests[0]?.messages)[0]).toContain("may or may not have had an effect");
  });

  test("fails at once, without a request, if its arguments are invalid", async () => {
    const { open, payments } = process();
    const { agent, model } = await open([{ toolCalls: [pay("five")] }, { text: "oh" }]);
    expect(await lastOf(agent.send("pay"))).toMatchObject({ stopReason: "end-turn" });
    expect(resultsOf(model.requests[1]?.messages)[0]).toContain("Invalid arguments for pay");
    expect(payments).toEqual([]);
  });

  test("can be any tool, by the agent's settings", async () => {
    const { open } = process({ approvals: ["core_memory_append"] });
    const { agent } = await open([{ toolCalls: [append("noted")] }, { text: "done" }]);
    expect(await lastOf(agent.send("note it"))).toMatchObject({ stopReason: "awaiting-approval" });
    // The preview of an edit has the lines that it changes.
    expect(agent.pendingApprovals).toMatchObject([{ preview: "human\n+ noted" }]);
    expect(agent.memory.read("human")).toBe("");
    await drain(agent.approve(waitingId(agent)));
    expect(agent.memory.read("human")).toBe("noted");
  });

  test("fails at once, without a request, if it is an edit of memory that would fail", async () => {
    const { open } = process({ approvals: ["core_memory_replace"] });
    const replace = { name: "human", old_content: "tea", new_content: "coffee" };
    const { agent, model } = await open([
      { toolCalls: [{ name: "core_memory_replace", arguments: replace }] },
      { text: "oh" },
    ]);
    expect(await lastOf(agent.send("note it"))).toMatchObject({ stopReason: "end-turn" });
    expect(resultsOf(model.requests[1]?.messages)[0]).toContain('Old content was not found in "human"');
  });

  test("warns of a name in the settings that no tool has", async () => {
    const lines: string[] = [];
    const { open } = process({ approvals: ["pya"], log: (line) => lines.push(line) });
    await open([]);
    expect(lines).toEqual([expect.stringContaining("requires approval for pya, but has no such tool")]);
  });
});

describe("a decision", () => {
  test("about a call that does not wait is refused, naming the call that waits", async () => {
    const { open } = process();
    const { agent } = await open([{ toolCalls: [pay(5)] }]);
    await expect(drain(agent.approve("call_1_1"))).rejects.toMatchObject({ code: "approval_not_found" });
    await drain(agent.send("pay"));
    await expect(drain(agent.deny("call_9"))).rejects.toMatchObject({
      code: "approval_not_found",
      message: expect.stringContaining("Calls that do: call_1_1 (pay)."),
    });
    expect(agent.pendingApprovals).toHaveLength(1);
  });

  test("is accepted once: the second process that decides is refused", async () => {
    const { open, payments } = process();
    const one = await open([{ toolCalls: [pay(5)] }, { text: "paid" }]);
    await drain(one.agent.send("pay"));
    const other = await open([{ text: "never said" }]);
    await drain(one.agent.approve("call_1_1"));
    await expect(drain(other.agent.approve("call_1_1"))).rejects.toMatchObject({ code: "approval_not_found" });
    expect(payments).toEqual([{ euros: 5 }]);
  });

  test("committed by a process that then died is not carried out twice", async () => {
    const { open, payments } = process();
    const failing = storeThatFails((store) => ({ turns: { ...store.turns, commitToolResult: died } }));
    const first = await open([{ toolCalls: [pay(5)] }], {}, failing);
    await drain(first.agent.send("pay"));
    await expect(drain(first.agent.approve("call_1_1"))).rejects.toThrow("The process died.");
    expect(payments).toEqual([{ euros: 5 }]);
    const { agent, model } = await open([{ text: "I do not know." }]);
    expect(agent.pendingApprovals).toEqual([]);
    expect(agent.unfinished).toBe(true);
    await drain(agent.resume());
    expect(payments).toEqual([{ euros: 5 }]);
    expect(resultsOf(model.requests[0]?.messages)[0]).toContain("may or may not have had an effect");
  });

  test("is refused after the time-out: the call counts as denied, and the turn continues", async () => {
    const { open, payments, clock, name } = process({ approvalTimeout: 60 });
    const { agent, runtime, model } = await open([{ toolCalls: [pay(5)] }, { text: "Nobody answered." }]);
    await drain(agent.send("pay"));
    await clock.advance(59_999);
    expect(agent.pendingApprovals).toHaveLength(1);
    await clock.advance(1);
    expect(agent.pendingApprovals).toEqual([]);
    expect(await runtime.approvals.list(name)).toEqual([]);
    await expect(drain(agent.approve("call_1_1"))).rejects.toMatchObject({ code: "approval_not_found" });
    expect(agent.unfinished).toBe(true);
    expect(await lastOf(agent.resume())).toMatchObject({ text: "Nobody answered." });
    expect(resultsOf(model.requests[1]?.messages)[0]).toContain("nobody decided in time");
    expect(payments).toEqual([]);
  });

  test("may never time out", async () => {
    const { open, clock } = process({ approvalTimeout: null });
    const { agent } = await open([{ toolCalls: [pay(5)] }]);
    await drain(agent.send("pay"));
    await clock.advance(1e12);
    expect(agent.pendingApprovals).toMatchObject([{ expiresAt: null }]);
  });
});

describe("while a call waits", () => {
  test("a new message denies all calls that wait", async () => {
    const { open, payments } = process();
    const { agent, model } = await open([{ toolCalls: [pay(5), append("after"), pay(6)] }, { text: "Fine." }]);
    await drain(agent.send("pay"));
    const events = await drain(agent.send("rather not"));
    expect(events.filter(({ type }) => type === "warning")).toMatchObject([
      { code: "approval-superseded" },
      { code: "approval-superseded" },
    ]);
    expect(events.at(-1)).toMatchObject({ stopReason: "end-turn", text: "Fine." });
    const results = resultsOf(model.requests[1]?.messages);
    expect(results).toHaveLength(3);
    expect([results[0], results[2]]).toEqual([
      expect.stringContaining("pay was not run"),
      expect.stringContaining("pay was not run"),
    ]);
    expect(payments).toEqual([]);
    expect(agent.memory.read("human")).toBe("after");
    expect(model.requests.flatMap(checkRequest)).toEqual([]);
    expect(agent.pendingApprovals).toEqual([]);
  });

  test("retry removes the call, and nothing waits any more", async () => {
    const { open, name } = process();
    const { agent, runtime } = await open([{ toolCalls: [pay(5)] }, { text: "Without paying." }]);
    await drain(agent.send("pay"));
    expect(await lastOf(agent.retry())).toMatchObject({ text: "Without paying." });
    expect(agent.pendingApprovals).toEqual([]);
    expect(await runtime.approvals.list(name)).toEqual([]);
  });

  test("a compaction keeps the turn whole, so that it can continue", async () => {
    const { open, payments } = process({ keepLast: 0 });
    const chat = [{ text: "one" }, { text: "two" }];
    const { agent } = await open([...chat, { toolCalls: [pay(5)] }, { text: "A summary." }, { text: "Paid." }]);
    for (const text of ["a", "b", "pay"]) await drain(agent.send(text));
    await agent.compact();
    expect(await lastOf(agent.approve(waitingId(agent)))).toMatchObject({ text: "Paid." });
    expect(payments).toEqual([{ euros: 5 }]);
  });
});

test("a call whose approval was never requested, because the process died, is requested on resume", async () => {
  const { open, payments } = process();
  const failing = storeThatFails((store) => ({ approvals: { ...store.approvals, request: died } }));
  const first = await open([{ toolCalls: [append("before"), pay(5)] }], {}, failing);
  await expect(drain(first.agent.send("pay"))).rejects.toThrow("The process died.");
  const { agent, model } = await open([{ text: "Paid." }]);
  expect(agent.unfinished).toBe(true);
  expect(await lastOf(agent.resume())).toMatchObject({ stopReason: "awaiting-approval" });
  expect(payments).toEqual([]);
  await drain(agent.approve("call_1_2"));
  expect(payments).toEqual([{ euros: 5 }]);
  expect(model.requests.flatMap(checkRequest)).toEqual([]);
});

describe("in the heartbeat protocol", () => {
  const send = { name: "send_message", arguments: { message: "Paid, I hope." } };

  test("an approved call without a heartbeat request ends its turn", async () => {
    const { open, payments } = process({ protocol: "heartbeat" });
    const { agent, model } = await open([{ toolCalls: [pay(5, { request_heartbeat: false }), send] }]);
    expect(await lastOf(agent.send("pay"))).toMatchObject({ text: "Paid, I hope." });
    expect(await lastOf(agent.approve(waitingId(agent)))).toMatchObject({ stopReason: "end-turn", text: "" });
    expect(payments).toEqual([{ euros: 5 }]);
    expect(model.requests).toHaveLength(1);
  });

  test("a denied call returns control to the model as a failure", async () => {
    const { open } = process({ protocol: "heartbeat" });
    const { agent, model } = await open([{ toolCalls: [pay(5)] }, { toolCalls: [send] }]);
    await drain(agent.send("pay"));
    expect(await lastOf(agent.deny(waitingId(agent)))).toMatchObject({ text: "Paid, I hope." });
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("Function call failed, returning control");
    expect(model.requests.flatMap(checkRequest)).toEqual([]);
  });

  test("no event is appended between a call that failed and one that waits", async () => {
    const { open, payments } = process({ protocol: "heartbeat" });
    const { agent, model } = await open([{ toolCalls: [{ name: "X", arguments: {} }, pay(5)] }, { toolCalls: [send] }]);
    await drain(agent.send("pay"));
    expect(agent.messages.map(({ role }) => role).slice(-2)).toEqual(["assistant", "tool"]);
    expect(await lastOf(agent.approve(waitingId(agent)))).toMatchObject({ text: "Paid, I hope." });
    expect(payments).toEqual([{ euros: 5 }]);
    expect(model.requests.flatMap(checkRequest)).toEqual([]);
  });
});
