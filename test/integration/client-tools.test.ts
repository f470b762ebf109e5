// Tools that the caller runs: their calls pause the turn, survive their process, and get results from any process.
import { z } from "zod";
import type { Agent } from "../../src/agent/agent.ts";
import type { ClientTool } from "../../src/agent/turn-options.ts";
import { composeRuntime, type RuntimeOptions } from "../../src/runtime/compose/compose.ts";
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

const readClock: ClientTool = {
  name: "read_clock",
  description: "Tells the time.",
  parameters: { type: "object", properties: { zone: { type: "string" } }, required: ["zone"] },
};
const clientTools = [readClock];

const clock = (zone: unknown, more: object = {}) => ({ name: "read_clock", arguments: { zone, ...more } });
const pay = { name: "pay", arguments: { euros: 5 } };

/** Processes, one after the other, with one agent in one conversation. */
function processes(options: RuntimeOptions = {}) {
  names += 1;
  const name = `clocks-${names}`;
  const paid: number[] = [];
  const payTool = defineTool({
    name: "pay",
    description: "Pays.",
    parameters: z.object({ euros: z.number() }),
    approval: true,
    run: ({ euros }) => {
      paid.push(euros);
      return `paid ${euros}`;
    },
  });
  const open = async (replies: ScriptedReplies, store: Store = opened.store) => {
    const model = createScriptedModel({ replies });
    const runtime = await composeRuntime(
      {
        model: "scripted",
        models: [model],
        embedder: null,
        tools: { add: [payTool] },
        clock: createManualClock(),
        ...options,
      },
      { store },
    );
    return { runtime, model, agent: await runtime.agents.open(name, { create: { human: "" } }) };
  };
  return { open, paid, name };
}

function resultsOf(messages: readonly Message[] | undefined): readonly string[] {
  const parts = messages?.findLast(({ role }) => role === "tool")?.content ?? [];
  return parts.map((part) => (part.type === "tool-result" ? `${part.status}: ${part.text}` : part.type));
}

const waitingIds = (agent: Agent): readonly string[] => agent.pendingResults.map(({ callId }) => callId);

const ok = (callId: string, text: string) => ({ callId, status: "ok", text }) as const;

test("a call pauses the turn after the other calls of its reply, and its result continues it", async () => {
  const { open } = processes();
  const { agent, model } = await open([{ toolCalls: [clock("UTC"), append("noted")] }, { text: "It is noon." }]);
  const events = await drain(agent.send("What time is it?", { clientTools }));
  expect(events.at(-1)).toMatchObject({ type: "turn-end", stopReason: "awaiting-result" });
  expect(events.filter(({ type }) => type === "result-requested")).toMatchObject([
    { step: 1, callId: "call_1_1", name: "read_clock", arguments: '{"zone":"UTC"}' },
  ]);
  expect(agent.memory.read("human")).toBe("noted");
  expect(agent.pendingResults).toMatchObject([{ callId: "call_1_1", toolName: "read_clock" }]);
  expect(agent.pendingApprovals).toEqual([]);
  expect(agent.unfinished).toBe(false);
  expect(model.requests[0]?.tools.map(({ name }) => name)).toContain("read_clock");

  const more = await drain(agent.answer([ok("call_1_1", "noon")], { clientTools }));
  expect(more.map(({ type }) => type).slice(0, 3)).toEqual(["turn-start", "tool-call", "tool-result"]);
  expect(more[0]).toMatchObject({ turnId: events[0]!.turnId, sequence: events.length + 1 });
  expect(more.at(-1)).toMatchObject({ stopReason: "end-turn", text: "It is noon." });
  expect(resultsOf(model.requests[1]?.messages)[0]).toBe("ok: noon");
  expect(agent.messages.find(({ role }) => role === "tool")).toMatchObject({ trust: "model" });
  expect(agent.messages.findLast(({ role }) => role === "tool")).toMatchObject({ trust: "external" });
  expect(model.requests.flatMap(checkRequest)).toEqual([]);
});

test("several calls are answered one by one, and the turn continues when none waits", async () => {
  const { open } = processes();
  const { agent, model } = await open([{ toolCalls: [clock("UTC"), clock("CET"), clock("PST")] }, { text: "Noted." }]);
  await drain(agent.send("What time is it?", { clientTools }));
  expect(waitingIds(agent)).toEqual(["call_1_1", "call_1_2", "call_1_3"]);
  const partial = await drain(agent.answer([ok("call_1_2", "one"), ok("call_1_3", "three")], { clientTools }));
  expect(partial.at(-1)).toMatchObject({ stopReason: "awaiting-result", steps: 0 });
  expect(partial.filter(({ type }) => type === "result-requested")).toMatchObject([{ callId: "call_1_1" }]);
  expect(waitingIds(agent)).toEqual(["call_1_1"]);
  const end = await lastOf(agent.answer([{ callId: "call_1_1", status: "failed", text: "no clock" }]));
  expect(end).toMatchObject({ stopReason: "end-turn", text: "Noted." });
  expect(resultsOf(model.requests[1]?.messages)).toEqual(["failed: no clock", "ok: one", "ok: three"]);
});

test("waiting calls survive their process, and another one answers them", async () => {
  const { open } = processes();
  const first = await open([{ toolCalls: [clock("UTC")] }]);
  await drain(first.agent.send("What time is it?", { clientTools }));
  const { agent, model } = await open([{ text: "Noon." }]);
  expect(waitingIds(agent)).toEqual(["call_1_1"]);
  expect(await lastOf(agent.answer([ok("call_1_1", "noon")]))).toMatchObject({ text: "Noon." });
  // The conversation offers its tools until the next snapshot; without this one here, its calls would fail.
  expect(model.requests[0]?.tools.map(({ name }) => name)).toContain("read_clock");
  await expect(drain(first.agent.answer([ok("call_1_1", "late")]))).rejects.toMatchObject({
    code: "result_not_awaited",
  });
});

test("a call of a reply waits together with one that needs approval", async () => {
  const { open, paid } = processes();
  const { agent } = await open([{ toolCalls: [clock("UTC"), pay] }, { text: "Done." }]);
  expect(await lastOf(agent.send("pay at noon", { clientTools }))).toMatchObject({ stopReason: "awaiting-approval" });
  expect([waitingIds(agent), agent.pendingApprovals.map(({ callId }) => callId)]).toEqual([["call_1_1"], ["call_1_2"]]);
  await expect(drain(agent.approve("call_1_1"))).rejects.toMatchObject({ code: "approval_not_found" });
  await expect(drain(agent.answer([ok("call_1_2", "paid")]))).rejects.toMatchObject({ code: "result_not_awaited" });
  expect(await lastOf(agent.approve("call_1_2"))).toMatchObject({ stopReason: "awaiting-result" });
  expect(paid).toEqual([5]);
  expect(await lastOf(agent.answer([ok("call_1_1", "noon")]))).toMatchObject({ stopReason: "end-turn", text: "Done." });
});

test("in the heartbeat protocol, the call's own arguments are requested, and a heartbeat continues the turn", async () => {
  const { open } = processes({ protocol: "heartbeat" });
  const send = { name: "send_message", arguments: { message: "Noon." } };
  const { agent } = await open([{ toolCalls: [clock("UTC", { request_heartbeat: true })] }, { toolCalls: [send] }]);
  await drain(agent.send("What time is it?", { clientTools }));
  expect(agent.pendingResults).toMatchObject([{ arguments: '{"zone":"UTC"}' }]);
  expect(await lastOf(agent.answer([ok("call_1_1", "noon")]))).toMatchObject({ text: "Noon." });
});

test("a client tool replaces the agent's tool of the same name, for the turn", async () => {
  const { open, paid } = processes();
  const own: ClientTool = { ...readClock, name: "pay", parameters: { type: "object", properties: {} } };
  const { agent, model } = await open([{ toolCalls: [{ name: "pay", arguments: {} }] }, { text: "Paid." }]);
  await drain(agent.send("pay", { clientTools: [own] }));
  expect(waitingIds(agent)).toEqual(["call_1_1"]);
  expect(model.requests[0]?.tools.filter(({ name }) => name === "pay")).toMatchObject([
    { description: "Tells the time." },
  ]);
  await drain(agent.answer([ok("call_1_1", "paid by the caller")]));
  expect(paid).toEqual([]);
});

test("invalid arguments fail at once, without a request", async () => {
  const { open } = processes();
  const { agent, model } = await open([{ toolCalls: [clock(5)] }, { text: "Oh." }]);
  expect(await lastOf(agent.send("What time is it?", { clientTools }))).toMatchObject({ stopReason: "end-turn" });
  expect(resultsOf(model.requests[1]?.messages)[0]).toContain("Invalid arguments for read_clock");
});

test("a pattern in a schema is shown to the model and not matched, however long that would take", async () => {
  const { open } = processes();
  const { agent, model } = await open([{ toolCalls: [clock(`${"a".repeat(50)}!`)] }]);
  const parameters = { type: "object", properties: { zone: { type: "string", pattern: "^(a+)+$" } } } as const;
  const end = await lastOf(agent.send("what time is it?", { clientTools: [{ ...readClock, parameters }] }));
  expect(end.stopReason).toBe("awaiting-result");
  expect(model.requests[0]?.tools.find(({ name }) => name === "read_clock")?.parameters).toMatchObject(parameters);
});

test.each([
  [
    "the name of a property",
    { type: "object", patternProperties: { "^zo": { type: "string" } }, additionalProperties: false },
  ],
  [
    "one of two texts",
    {
      type: "object",
      properties: {
        zone: {
          oneOf: [
            { type: "string", pattern: "^U" },
            { type: "string", pattern: "^G" },
          ],
        },
      },
    },
  ],
] as const)("a call that fits a schema by the pattern of %s is not refused", async (_what, parameters) => {
  const { open } = processes();
  const { agent } = await open([{ toolCalls: [clock("UTC")] }]);
  const end = await lastOf(agent.send("what time is it?", { clientTools: [{ ...readClock, parameters }] }));
  expect(end.stopReason).toBe("awaiting-result");
});

describe("an answer", () => {
  test.each([
    ["no results", [], "input_invalid"],
    ["two results for one call", [ok("call_1_1", "a"), ok("call_1_1", "b")], "input_invalid"],
    ["an unknown call", [ok("call_1_1", "a"), ok("call_9", "b")], "result_not_awaited"],
  ] as const)("with %s stores nothing", async (_what, results, code) => {
    const { open } = processes();
    const { agent } = await open([{ toolCalls: [clock("UTC")] }, { text: "Noon." }]);
    await drain(agent.send("What time is it?", { clientTools }));
    await expect(drain(agent.answer(results))).rejects.toMatchObject({ code });
    expect(waitingIds(agent)).toEqual(["call_1_1"]);
    expect(await lastOf(agent.answer([ok("call_1_1", "noon")]))).toMatchObject({ stopReason: "end-turn" });
  });

  test("over the agent's limit is cut, with a note", async () => {
    const { open } = processes({ toolResultLimit: 10 });
    const { agent, model } = await open([{ toolCalls: [clock("UTC")] }, { text: "Long." }]);
    await drain(agent.send("What time is it?", { clientTools }));
    await drain(agent.answer([ok("call_1_1", "0123456789abc")]));
    expect(resultsOf(model.requests[1]?.messages)[0]).toContain("0123456789... [NOTE: function output was truncated");
  });

  test("over the limit of a stored tool is cut, with a note", async () => {
    const { open, name } = processes();
    const { runtime } = await open([]);
    await runtime.tools.create({ ...readClock, name: "stored_clock", resultLimit: 5 });
    await runtime.tools.attach(name, "stored_clock");
    const { agent, model } = await open([
      { toolCalls: [{ ...clock("UTC"), name: "stored_clock" }] },
      { text: "Long." },
    ]);
    await drain(agent.send("What time is it?"));
    await drain(agent.answer([ok("call_1_1", "0123456789abc")]));
    expect(resultsOf(model.requests[1]?.messages)[0]).toContain("ok: 01234... [NOTE: function output was truncated");
  });

  test("that was committed by a process that then died is not lost", async () => {
    const { open } = processes();
    const first = await open([{ toolCalls: [clock("UTC")] }]);
    await drain(first.agent.send("What time is it?", { clientTools }));
    const failing = await open(
      [{ text: "never" }],
      storeThatFails((store) => ({ turns: { ...store.turns, commitReply: died } })),
    );
    await expect(drain(failing.agent.answer([ok("call_1_1", "noon")]))).rejects.toThrow("The process died.");
    const { agent, model } = await open([{ text: "Noon." }]);
    expect([waitingIds(agent), agent.unfinished]).toEqual([[], true]);
    expect(await lastOf(agent.resume())).toMatchObject({ text: "Noon." });
    expect(resultsOf(model.requests[0]?.messages)).toEqual(["ok: noon"]);
  });
});

test("calls whose results were never requested, because the process died, are requested on resume", async () => {
  const { open } = processes();
  const first = await open(
    [{ toolCalls: [clock("UTC")] }],
    storeThatFails((store) => ({ approvals: { ...store.approvals, request: died } })),
  );
  await expect(drain(first.agent.send("What time is it?", { clientTools }))).rejects.toThrow("The process died.");
  const { agent } = await open([{ text: "Noon." }]);
  expect(await lastOf(agent.resume({ clientTools }))).toMatchObject({ stopReason: "awaiting-result" });
  expect(await lastOf(agent.answer([ok("call_1_1", "noon")]))).toMatchObject({ text: "Noon." });
});

describe("while a call waits", () => {
  async function waiting() {
    const { open } = processes();
    const scene = await open([{ toolCalls: [clock("UTC")] }, { text: "Fine." }]);
    await drain(scene.agent.send("What time is it?", { clientTools }));
    return scene;
  }

  test("a new message supersedes it, and the model is told that it may have had an effect", async () => {
    const { agent, model } = await waiting();
    const events = await drain(agent.send("never mind"));
    expect(events.find(({ type }) => type === "warning")).toMatchObject({ code: "approval-superseded" });
    expect(events.at(-1)).toMatchObject({ text: "Fine." });
    expect(resultsOf(model.requests[1]?.messages)[0]).toContain("The call may or may not have had an effect");
    expect(waitingIds(agent)).toEqual([]);
    await expect(drain(agent.answer([ok("call_1_1", "late")]))).rejects.toMatchObject({ code: "result_not_awaited" });
  });

  test("a message that asks for it is refused, and leaves nothing in the conversation or its queue", async () => {
    const { agent } = await waiting();
    const refused = { onWaiting: "refuse" } as const;
    const problem = { code: "approval_pending", message: expect.stringContaining("answer call_1_1") as string };
    await expect(drain(agent.send("hello?", refused))).rejects.toMatchObject(problem);
    await expect(drain(agent.send("hello?", { ...refused, afterMessage: null }))).rejects.toMatchObject(problem);
    await expect(agent.start("hello?", refused)).rejects.toMatchObject(problem);
    expect(
      await opened.ownerRows(
        `select 1 from inputs where conversation_id = '${agent.conversationId}' and status = 'queued'`,
      ),
    ).toHaveLength(0);
    expect(waitingIds(agent)).toEqual(["call_1_1"]);
    expect(await lastOf(agent.answer([ok("call_1_1", "noon")]))).toMatchObject({ text: "Fine." });
  });

  test("resume and raise are refused", async () => {
    const { agent } = await waiting();
    await expect(drain(agent.resume())).rejects.toMatchObject({ code: "approval_pending" });
    await expect(drain(agent.raise("heartbeat"))).rejects.toMatchObject({ code: "approval_pending" });
  });

  test("pop and retry remove it", async () => {
    const { agent } = await waiting();
    expect(await lastOf(agent.retry())).toMatchObject({ text: "Fine." });
    expect(waitingIds(agent)).toEqual([]);
  });
});

test.each([
  ["two tools with one name", [readClock, readClock], /different names/u],
  ["a name that no provider accepts", [{ ...readClock, name: "read clock" }], /name of 1 to 64/u],
  ["parameters that are no object", [{ ...readClock, parameters: { type: "string" } as never }], /read_clock/u],
])("%s are refused, with nothing written", async (_what, tools, problem) => {
  const { open } = processes();
  const { agent } = await open([]);
  await expect(drain(agent.send("hi", { clientTools: tools }))).rejects.toMatchObject({
    code: "tool_definition_invalid",
    message: expect.stringMatching(problem) as string,
  });
  expect(agent.messages).toEqual([]);
});

/** The store of a process that dies at one of its writes: nothing is written from then on. */
function storeThatFails(at: (store: UserStore) => Partial<UserStore>): Store {
  return {
    ...opened.store,
    as: (userId) => {
      const store = opened.store.as(userId);
      return { ...store, ...at(store) };
    },
  };
}

const died = async (): Promise<never> => {
  throw new StoreError("store_failed", "The process died.");
};
