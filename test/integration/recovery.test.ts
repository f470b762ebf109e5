// A turn that is interrupted at any of its commits, and how the next process continues it.
// The break is a store that fails once the commit before it was made, as a killed process would leave the rows.
import { z } from "zod";
import { checkRequest } from "../support/check-request.ts";
import { createScriptedModel, type ScriptedReplies } from "../../src/model/llm/scripted/scripted-model.ts";
import type { Store } from "../../src/store/port/store.ts";
import type { TurnStore } from "../../src/store/port/turn-store.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { composeRuntime, type RuntimeOptions } from "../../src/runtime/compose/compose.ts";
import { defineTool } from "../../src/tool/define-tool.ts";
import { useStore } from "../support/database.ts";
import { drain, lastOf } from "../support/runtime.ts";
import { append } from "../support/scene.ts";

const { test: opened } = useStore();
let names = 0;

/** The store, until the given write has been made so many times; then every write of a turn fails. */
function breakingStore(write: keyof TurnStore, times: number): Store {
  let left = times;
  const broken = (): never => {
    throw new TypeError("the process is gone");
  };
  const guard = (turns: TurnStore): TurnStore => {
    const wrap =
      <Args extends readonly unknown[], Result>(name: keyof TurnStore, work: (...args: Args) => Promise<Result>) =>
      async (...args: Args): Promise<Result> => {
        if (left <= 0) broken();
        const result = await work(...args);
        if (name === write) left -= 1;
        return result;
      };
    return {
      begin: wrap("begin", turns.begin),
      commitReply: wrap("commitReply", turns.commitReply),
      commitToolResult: wrap("commitToolResult", turns.commitToolResult),
      append: wrap("append", turns.append),
      commitMemory: wrap("commitMemory", turns.commitMemory),
    };
  };
  return {
    ...opened.store,
    as: (userId) => ({ ...opened.store.as(userId), turns: guard(opened.store.as(userId).turns) }),
  };
}

function open(replies: ScriptedReplies, options: RuntimeOptions = {}, store: Store = opened.store) {
  const model = createScriptedModel({ replies });
  const runtime = composeRuntime({ model: "scripted", models: [model], embedder: null, ...options }, { store });
  return { model, runtime };
}

const agentIn = async (runtime: Promise<Runtime>, name: string) => (await runtime).agents.open(name, { create: {} });

const twoEdits = { toolCalls: [append("one"), append("two")] };

test.each([
  ["begin", 1, ""],
  ["commitReply", 1, ""],
  ["commitToolResult", 1, "one"],
  ["commitToolResult", 2, "one\ntwo"],
] as const)("interrupted after %s (%i): after resume, both edits are stored once", async (write, times, before) => {
  names += 1;
  const name = `resumed-${names}`;
  const first = open([twoEdits, { text: "Both noted." }], {}, breakingStore(write, times));
  const broken = await agentIn(first.runtime, name);
  await expect(drain(broken.send("note both"))).rejects.toThrow("the process is gone");

  const replies = write === "begin" ? [twoEdits, { text: "Both noted." }] : [{ text: "Both noted." }];
  const second = open(replies);
  const agent = await agentIn(second.runtime, name);
  expect(agent.unfinished).toBe(true);
  expect(agent.memory.read("human")).toBe(before);
  expect(agent.messages.filter((message) => message.role === "user")).toHaveLength(1);
  expect(await lastOf(agent.resume())).toMatchObject({ stopReason: "end-turn", text: "Both noted." });
  expect(agent.memory.read("human")).toBe("one\ntwo");
  expect(agent.unfinished).toBe(false);
  await expect(drain(agent.resume())).rejects.toMatchObject({ code: "nothing_to_resume" });
  const revisions = await (await second.runtime).memory.revisions(name);
  expect(revisions.map((revision) => revision.after)).toEqual(["one\ntwo", "one"]);
  expect(second.model.requests.flatMap(checkRequest)).toEqual([]);
});

test("edits beside a text are made when the turn is resumed, which ends it with that text and no model call", async () => {
  const reply = { ...twoEdits, text: "Both noted." };
  const first = open([reply], {}, breakingStore("commitToolResult", 1));
  await expect(drain((await agentIn(first.runtime, "answered")).send("note both"))).rejects.toThrow("is gone");
  const second = open([]);
  const agent = await agentIn(second.runtime, "answered");
  expect(agent.unfinished).toBe(true);
  expect(await lastOf(agent.resume())).toMatchObject({ stopReason: "end-turn", text: "Both noted." });
  expect(agent.memory.read("human")).toBe("one\ntwo");
  expect([second.model.requests.length, agent.unfinished]).toEqual([0, false]);
});

test.each([
  ["begin", 1],
  ["commitReply", 1],
  ["commitToolResult", 1],
  ["commitToolResult", 2],
] as const)(
  "interrupted after %s (%i): the next message continues, with nothing lost or duplicated",
  async (write, times) => {
    names += 1;
    const name = `continued-${names}`;
    const first = open([twoEdits, { text: "never said" }], {}, breakingStore(write, times));
    await expect(drain((await agentIn(first.runtime, name)).send("note both"))).rejects.toThrow("the process is gone");

    const second = open([{ text: "Here I am." }]);
    const agent = await agentIn(second.runtime, name);
    const events = await drain(agent.send("are you there?"));
    expect(events.at(-1)).toMatchObject({ stopReason: "end-turn", text: "Here I am." });
    const isRecovered = events.some((event) => event.type === "warning" && event.code === "calls-recovered");
    expect(isRecovered).toBe(write === "commitReply" || (write === "commitToolResult" && times === 1));
    expect(agent.messages.filter(({ role }) => role === "user").map(({ text }) => text)).toEqual([
      "note both",
      "are you there?",
    ]);
    expect(agent.memory.read("human")).toBe(write === "begin" ? "" : "one\ntwo");
    expect(second.model.requests.flatMap(checkRequest)).toEqual([]);
  },
);

test.each(["", " if the agent no longer has it"])("a tool with external effects is not run again%s", async (gone) => {
  const name = `payer${gone.replaceAll(" ", "-")}`;
  const runs: string[] = [];
  const pay = defineTool({
    name: "pay",
    description: "Pays once.",
    parameters: z.object({}),
    run: (_args, { idempotencyKey }) => {
      runs.push(idempotencyKey);
    },
  });
  const tools = { add: [pay] };
  const call = { toolCalls: [{ name: "pay", arguments: {} }] };
  const first = open([call], { tools }, breakingStore("commitReply", 1));
  await expect(drain((await agentIn(first.runtime, name)).send("pay"))).rejects.toThrow("the process is gone");
  expect(runs).toHaveLength(1);
  const second = open([{ text: "I do not know whether it was paid." }], gone === "" ? { tools } : {});
  const agent = await agentIn(second.runtime, name);
  await drain(agent.resume());
  expect(runs).toHaveLength(1);
  expect(JSON.stringify(second.model.requests[0]?.messages.at(-1))).toContain("may or may not have had an effect");
  const rows = await opened.ownerRows<{ status: string }>(
    `select status from tool_calls where name = 'pay' and conversation_id = '${agent.conversationId}'`,
  );
  expect(rows).toEqual([{ status: "interrupted" }]);
});

test("after a provider's outage the same input is answered by resume", async () => {
  const { runtime } = open([{ text: "x", error: new TypeError("unexpected") }, { text: "back" }]);
  const agent = await agentIn(runtime, "outage");
  await expect(drain(agent.send("hello"))).rejects.toThrow("unexpected");
  expect(agent.unfinished).toBe(true);
  expect(await lastOf(agent.resume())).toMatchObject({ text: "back" });
  expect(agent.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
});

test.each([
  ["a kill", twoEdits, {}],
  ["an approval", { toolCalls: [append("one")] }, { approvals: ["core_memory_append"] }],
])(
  "after %s, a turn that a heartbeat began goes on as itself, and not as the turn before it",
  async (_, edits, options) => {
    names += 1;
    const name = `raised-${names}`;
    const isKilled = edits === twoEdits;
    const store = isKilled ? breakingStore("commitToolResult", 1) : opened.store;
    const before = await agentIn(open([{ text: "Hello." }, edits], options, store).runtime, name);
    const [greeted] = await drain(before.send("hi"));
    const raising = drain(before.raise("heartbeat"));
    if (isKilled) await expect(raising).rejects.toThrow("the process is gone");
    else await raising;
    const second = open([{ text: "Noted." }], options);
    const agent = await agentIn(second.runtime, name);
    const events = await drain(isKilled ? agent.resume() : agent.approve(agent.pendingApprovals[0]!.callId));
    const raised = agent.messages.find(({ kind }) => kind === "event")!;
    expect(events[0]).toMatchObject({ type: "turn-start", messageId: raised.id });
    expect(new Set(events.map(({ turnId }) => turnId))).toEqual(new Set([raised.turnId]));
    const { turns } = await second.runtime;
    expect((await turns.messages(raised.turnId)).at(-1)?.text).toBe("Noted.");
    for (const id of [greeted!.turnId, raised.turnId])
      expect(await turns.find(id)).toMatchObject({ state: "completed", stopReason: "end-turn" });
  },
);

test("in the heartbeat protocol, a turn continues only if it had requested a heartbeat", async () => {
  const asked = { toolCalls: [append("one", { request_heartbeat: true })] };
  const first = open([asked], { protocol: "heartbeat" }, breakingStore("commitToolResult", 1));
  await expect(drain((await agentIn(first.runtime, "beating")).send("go"))).rejects.toThrow("the process is gone");
  const done = { toolCalls: [{ name: "send_message", arguments: { message: "done" } }] };
  const second = open([done]);
  const agent = await agentIn(second.runtime, "beating");
  expect(agent.unfinished).toBe(true);
  expect(await lastOf(agent.resume())).toMatchObject({ text: "done" });
  expect(JSON.stringify(second.model.requests[0]?.messages.at(-1))).toContain(
    "request_heartbeat=true, returning control",
  );
  expect(agent.unfinished).toBe(false);
});
