// A turn whose runtime closes while it runs: the next process continues it, as it continues one whose process was killed. A
// turn that its user stopped stays ended.
import { z } from "zod";
import type { Agent } from "../../src/agent/agent.ts";
import type { AgentEvent } from "../../src/agent/events.ts";
import { composeRuntime, type RuntimeOptions } from "../../src/runtime/compose/compose.ts";
import type { Model, ModelEvent } from "../../src/model/llm/model.ts";
import { noUsage } from "../../src/base/message/message.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { followTurn } from "../../src/surfaces/http/follow-turn.ts";
import { defineTool } from "../../src/tool/define-tool.ts";
import { useStore } from "../support/database.ts";
import { drain, lastOf } from "../support/runtime.ts";

const { test: opened } = useStore();
let names = 0;

type Words = readonly string[];

/** A model that says the words of each reply, calls the tool that is named after `CALL`, and waits where the word is `WAIT`. */
function sayingModel(replies: readonly Words[]): Model & { readonly waits: Promise<void> } {
  let asked = 0;
  let report = (): void => undefined;
  const waits = new Promise<void>((resolve) => (report = resolve));
  async function* stream(_request: unknown, options: { readonly signal?: AbortSignal }): AsyncGenerator<ModelEvent> {
    const words = replies[asked] ?? ["done"];
    asked += 1;
    let calls = 0;
    for (const word of words) {
      if (word === "WAIT") {
        report();
        await new Promise((_, reject) => {
          options.signal?.addEventListener("abort", () => reject(options.signal?.reason), { once: true });
        });
      } else if (word.startsWith("CALL ")) {
        calls += 1;
        yield { type: "tool-call", callId: `call_${asked}_${calls}`, name: word.slice(5), arguments: "{}" };
      } else yield { type: "text-delta", text: word };
    }
    yield { type: "end", stopReason: calls > 0 ? "tool-calls" : "end", usage: { ...noUsage, inputTokens: 10 } };
  }
  return { name: "saying", contextWindow: 32_768, stream, waits };
}

interface Opened {
  readonly agent: Agent;
  readonly runtime: Runtime;
  readonly model: ReturnType<typeof sayingModel>;
}

async function open(name: string, replies: readonly Words[], options: RuntimeOptions = {}): Promise<Opened> {
  const model = sayingModel(replies);
  const settings = { embedder: null, model: "saying", models: [model], ...options };
  const runtime = await composeRuntime(settings, { store: opened.store });
  return { model, runtime, agent: await runtime.agents.open(name, { create: {} }) };
}

const newName = (): string => {
  names += 1;
  return `left-${names}`;
};

/** Reads a turn that may throw. */
async function ending(events: AsyncIterable<AgentEvent>) {
  const types: string[] = [];
  try {
    for await (const { type } of events) types.push(type);
    return { types, code: null };
  } catch (error) {
    return { types, code: (error as { readonly code?: string }).code };
  }
}

const textsOf = ({ messages }: Agent) => messages.map(({ role, text }) => [role, text]);

test.each([
  ["before its first word", ["WAIT"]],
  ["in its text", ["Half ", "WAIT"]],
])("a turn handed over %s has no end, and resume regenerates the answer", async (_where, words) => {
  const name = newName();
  const { agent, runtime, model } = await open(name, [words]);
  const sent = ending(agent.send("hello"));
  await model.waits;
  await runtime.close({ graceMs: 0 });
  const { types, code } = await sent;
  expect([code, types.includes("turn-end")]).toEqual(["runtime_closing", false]);

  const next = await open(name, [["Whole."]]);
  const [turn] = await next.runtime.turns.list({ agent: name });
  expect(turn).toMatchObject({ state: "interrupted", stopReason: null, endedAt: null });
  expect([next.agent.unfinished, textsOf(next.agent)]).toEqual([true, [["user", "hello"]]]);
  expect(await lastOf(next.agent.resume())).toMatchObject({ stopReason: "end-turn", text: "Whole." });
  expect(textsOf(next.agent)).toEqual([
    ["user", "hello"],
    ["assistant", "Whole."],
  ]);
  expect(next.agent.unfinished).toBe(false);
});

test("a reader gets the last events of a turn that another process ends before the reader can continue it", async () => {
  const name = newName();
  const { agent, runtime, model } = await open(name, [["Half ", "WAIT"]]);
  const sent = ending(agent.send("hello"));
  await model.waits;
  await runtime.close({ graceMs: 0 });
  const { types: before } = await sent;
  const [other, reader] = [await open(name, [["Whole."]]), await open(name, [])];
  const [turn] = await reader.runtime.turns.list({ agent: name });
  const openLate: typeof reader.runtime.agents.open = async (...options) => {
    if (other.agent.unfinished) await lastOf(other.agent.resume());
    return reader.runtime.agents.open(...options);
  };
  const late = { ...reader.runtime, agents: { ...reader.runtime.agents, open: openLate } } as typeof reader.runtime;
  const read = await ending(followTurn(late, { ...turn!, agentId: name }, { after: before.length }));
  expect(read).toEqual({ types: ["turn-start", "step-start", "text-delta", "step-end", "turn-end"], code: null });
});

/** A tool that waits until its turn is handed over, the first time that it runs. */
function waitingTool(effects: "memory" | "external") {
  let runs = 0;
  let report = (): void => undefined;
  const begun = new Promise<void>((resolve) => (report = resolve));
  const tool = defineTool({
    name: "work",
    description: "Works.",
    parameters: z.object({}),
    effects,
    async run(_args, { core }) {
      runs += 1;
      report();
      if (runs === 1) await new Promise(() => undefined);
      core.edit("human", () => `worked ${runs} times`);
    },
  });
  return { tool, begun, runs: () => runs };
}

test.each([
  ["memory", 3, "ok", "worked 3 times"],
  ["external", 1, "failed", ""],
] as const)(
  "a call of a tool with %s effects in a turn that is handed over runs %i times",
  async (effects, runs, status, memory) => {
    const name = newName();
    const work = waitingTool(effects);
    const { agent, runtime } = await open(name, [["I work. ", "CALL work", "CALL work"]], {
      tools: { add: [work.tool] },
    });
    const sent = ending(agent.send("go"));
    await work.begun;
    await runtime.close({ graceMs: 0 });
    expect((await sent).code).toBe("runtime_closing");
    const next = await open(name, [["Done."]], { tools: { add: [work.tool] } });
    const events = await drain(next.agent.resume());
    expect(events.at(-1)).toMatchObject({ stopReason: "end-turn", text: "Done." });
    expect(events.flatMap((event) => (event.type === "tool-result" ? [event.status] : []))).toEqual([status, status]);
    expect([work.runs(), next.agent.memory.read("human")]).toEqual([runs, memory]);
  },
);

test("a reply that is complete when its runtime closes is kept, and its turn ends", async () => {
  const name = newName();
  let finish = (): void => undefined;
  const model: Model = {
    name: "saying",
    contextWindow: 32_768,
    async *stream() {
      yield { type: "text-delta", text: "All of it." };
      await new Promise<void>((resolve) => (finish = resolve));
      yield { type: "end", stopReason: "end", usage: { ...noUsage, inputTokens: 10 } };
    },
  };
  const { agent, runtime } = await open(name, [], { models: [model] });
  const events = agent.send("hello");
  for await (const { type } of events) if (type === "text-delta") break;
  const closed = runtime.close({ graceMs: 0 });
  setTimeout(() => finish(), 50);
  await closed;
  const next = await open(name, []);
  expect([next.agent.unfinished, next.agent.messages.at(-1)]).toMatchObject([
    false,
    { text: "All of it.", status: "complete" },
  ]);
});

test.each([
  ["before its first word", ["WAIT"], ""],
  ["in its text", ["Half ", "WAIT"], "Half "],
])("a turn that its user stopped %s stays ended", async (_where, words, text) => {
  const name = newName();
  const { agent, runtime, model } = await open(name, [words]);
  const stop = new AbortController();
  const sent = ending(agent.send("hello", { signal: stop.signal }));
  await model.waits;
  stop.abort(new Error("stop"));
  expect((await sent).types.at(-1)).toBe("turn-end");
  await runtime.close();
  const next = await open(name, []);
  expect(await next.runtime.turns.list({ agent: name })).toMatchObject([{ stopReason: "interrupted" }]);
  expect([next.agent.unfinished, next.agent.messages.at(-1)]).toMatchObject([false, { status: "interrupted", text }]);
  await expect(drain(next.agent.resume())).rejects.toMatchObject({ code: "nothing_to_resume" });
});

test("a reader that leaves the loop does not end the turn", async () => {
  const { agent } = await open(newName(), [["One ", "two ", "three."], ["Next."]]);
  for await (const { type } of agent.send("count")) if (type === "text-delta") break;
  await drain(agent.send("and?"));
  expect(textsOf(agent).map(([, text]) => text)).toEqual(["count", "One two three.", "and?", "Next."]);
});

describe("a send that is given up before it begins", () => {
  const reason = new Error("changed my mind");

  test("stores nothing, and throws the reason", async () => {
    const name = newName();
    const { agent, runtime } = await open(name, []);
    const signal = AbortSignal.abort(reason);
    await expect(agent.send("hello", { signal })).rejects.toBe(reason);
    await expect(agent.start("hello", { signal })).rejects.toBe(reason);
    await expect(drain(agent.send({ messages: [{ text: "hello", files: [] }] }, { signal }))).rejects.toBe(reason);
    const file = { name: "a.txt", data: new TextEncoder().encode("a") };
    await expect(drain(agent.send("hello", { signal, files: [file] }))).rejects.toBe(reason);
    expect(await runtime.turns.list({ agent: name })).toEqual([]);
    expect((await open(name, [])).agent.messages).toEqual([]);
  });

  test("while it waits for another turn stores nothing either", async () => {
    const name = newName();
    const { agent, runtime, model } = await open(name, [["WAIT"]]);
    const stopFirst = new AbortController();
    const first = ending(agent.send("first", { signal: stopFirst.signal }));
    await model.waits;
    const stop = new AbortController();
    const second = drain(agent.send("second", { signal: stop.signal }));
    const started = agent.start("third", { signal: stop.signal });
    const { id } = await started;
    stop.abort(reason);
    stopFirst.abort(reason);
    await first;
    await expect(second).rejects.toBe(reason);
    await drain(agent.send("fourth"));
    expect(textsOf(agent).map(([, text]) => text)).toEqual(["first", "", "fourth", "done"]);
    expect((await runtime.turns.list({ agent: name })).map((turn) => turn.id)).not.toContain(id);
  });
});
