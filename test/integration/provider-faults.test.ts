// Whole turns through the real adapters while the provider fails in every way it can: what is told, what is kept, what
// was done, and that the conversation goes on. The outcomes are those of docs/reliability.md.
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Agent } from "../../src/agent/agent.ts";
import type { AgentEvent } from "../../src/agent/events.ts";
import { packageRoot } from "../../src/base/package-root.ts";
import { createAnthropicModel } from "../../src/model/llm/anthropic/anthropic-model.ts";
import type { Model } from "../../src/model/llm/model.ts";
import { createOpenAIModel } from "../../src/model/llm/openai/openai-model.ts";
import { type StreamOptions, withRetries } from "../../src/model/llm/retry/retrying-model.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { type Ending, type FaultRow, faultTable, markdownRow } from "../support/fault-table.ts";
import { checkBody, type WireApi } from "../support/journal-checks.ts";
import { createStallingClock, type StallingClock } from "../support/stalling-clock.ts";
import { type RawReply, startRawServer } from "../support/raw-server.ts";
import { drain, lastOf, useRuntimes } from "../support/runtime.ts";
import { wireAnswer, type WireCall, wireRefusal } from "../support/wire-replies.ts";
import { createWireJournal, type WireJournal } from "../support/wire-journal.ts";

const apis: readonly WireApi[] = ["anthropic", "chat", "responses"];
const edit: WireCall = { name: "core_memory_append", arguments: '{"name": "human", "content": "Name: Ada"}' };
const partial = "Hel";

const runtimes = useRuntimes();
let runtime: Runtime;
/** The model of the scene that is open; one runtime calls all of them. */
let modelOfScene: Model;

describe.each(apis)("%s", (api) => {
  beforeAll(async () => {
    const adapter = adapterOf(api, "http://127.0.0.1:9", fetch);
    const model: Model = { ...adapter, stream: (asked, options) => modelOfScene.stream(asked, options) };
    runtime = await runtimes.open({ model: model.name, models: [model], maxSteps: 4, keepLast: 2 });
  });

  const rows = faultTable.filter(({ only = api }) => only === api);

  test.each(rows)("$fault, once: nothing is lost, nothing is done twice", async (row) => {
    const isOver = row.once.stopReason !== "end-turn" || row.id === "empty";
    const goesOn = isOver ? [] : [callOf(api, edit), say(api, "Noted.")];
    const replies = [...opening(api, row), faultOf(api, row.id), ...between(api, row), ...goesOn, say(api, "Back.")];
    await using scene = await openScene(api, { row, replies });
    const events = await drain(scene.agent.send("I am Ada."));
    expectEnding(events, row.once);
    expectPauses(events, row);
    if (!isOver) expect(events.at(-1)).toMatchObject({ text: "Noted." });
    await expectKept(scene, isOver ? [] : ["Name: Ada"]);
    expect(await lastOf(scene.agent.send("Still there?"))).toMatchObject({ stopReason: "end-turn", text: "Back." });
    expectRules(api, scene.journal);
    expect(JSON.stringify(scene.journal.bodies.at(-1))).toContain("I am Ada.");
    expect(scene.journal.bodies).toHaveLength(replies.length);
  });

  test.each(rows)("$fault, always: the turn ends, and earlier work is stored once", async (row) => {
    const replies = [...opening(api, row), ...lasting(api, row), say(api, "Back.")];
    await using scene = await openScene(api, { row, replies });
    const events = await drain(scene.agent.send("I am Ada."));
    expectEnding(events, row.always);
    expectPauses(events, row);
    await expectKept(scene, ["Name: Ada"]);
    expect(await lastOf(scene.agent.send("Still there?"))).toMatchObject({ stopReason: "end-turn", text: "Back." });
    expectRules(api, scene.journal);
    expect(scene.journal.bodies).toHaveLength(replies.length);
  });

  test("text of a truncated stream is void: it is neither in the reply nor in the next request", async () => {
    const row = rowOf("cut-text");
    const replies = [faultOf(api, row.id), say(api, "Whole."), say(api, "Back.")];
    await using scene = await openScene(api, { row, replies });
    const events = await drain(scene.agent.send("I am Ada."));
    expect(events.map((event) => event.type)).toEqual(
      expect.arrayContaining(["text-delta", "retry", "text-delta", "step-end", "turn-end"]),
    );
    expect(scene.agent.messages.at(-1)?.text).toBe("Whole.");
    await drain(scene.agent.send("Still there?"));
    expect(JSON.stringify(scene.journal.bodies.at(-1))).not.toContain(`"${partial}"`);
  });

  test("after an outage the same message is answered by resume", async () => {
    const row = rowOf("500");
    const outage = Array.from({ length: 4 }, () => faultOf(api, row.id));
    await using scene = await openScene(api, { row, replies: [callOf(api, edit), ...outage, say(api, "Noted.")] });
    expectEnding(await drain(scene.agent.send("I am Ada.")), row.always);
    expect(scene.agent.unfinished).toBe(true);
    expect(await lastOf(scene.agent.resume())).toMatchObject({ stopReason: "end-turn", text: "Noted." });
    await expectKept(scene, ["Name: Ada"]);
    expectRules(api, scene.journal);
  });
});

test("docs/reliability.md contains the rows of the table, and no others", () => {
  const text = readFileSync(path.join(packageRoot(), "docs", "reliability.md"), "utf8");
  const [, table = ""] = /<!-- outcomes:start -->\n([\s\S]*?)<!-- outcomes:end -->/.exec(text) ?? [];
  const rows = table
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .slice(2)
    .map((line) => line.replaceAll(/ *\| */g, " | ").trim());
  expect(rows).toEqual(faultTable.map(markdownRow));
});

interface FaultScene extends AsyncDisposable {
  readonly agent: Agent;
  readonly name: string;
  readonly journal: WireJournal;
}

interface FaultScript {
  readonly row: FaultRow;
  readonly replies: readonly RawReply[];
}

let scenes = 0;

async function openScene(api: WireApi, { row, replies }: FaultScript): Promise<FaultScene> {
  scenes += 1;
  const name = `faulty-${scenes}`;
  const server = await startRawServer(replies);
  const journal = createWireJournal();
  const clock = createStallingClock();
  const request: typeof fetch = async (...parameters) => {
    const response = await journal.fetch(...parameters);
    // The headers have come, and nothing will follow them.
    if (replies[journal.bodies.length - 1]?.chunks.length === 0) clock.stall();
    return response;
  };
  const adapter = adapterOf(api, server.url, request);
  const stalling: Model = {
    ...adapter,
    async *stream(asked, options) {
      for await (const event of adapter.stream(asked, options)) {
        yield event;
        const isPartial = event.type === "text-delta" && event.text === partial;
        if (row.id === "slow" && isPartial) passHalfAnHour(clock, options);
        if (row.id === "stall" && isPartial) clock.stall();
      }
    },
  };
  modelOfScene = withRetries(stalling, { clock, random: () => 0.5 });
  const agent = await runtime.agents.open(name, { create: {} });
  for (const _reply of opening(api, row)) await drain(agent.send("Something said earlier."));
  return { agent, name, journal, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** Something comes every half minute. */
function passHalfAnHour(clock: StallingClock, { onActivity }: StreamOptions): void {
  for (let half = 0; half < 60; half += 1) {
    clock.pass();
    onActivity?.();
  }
}

function adapterOf(api: WireApi, url: string, request: typeof fetch): Model {
  const options = {
    model: "test",
    apiKey: "sk-test-123456",
    contextWindow: 100_000,
    fetch: request,
    maxReplyBytes: 200_000,
  };
  if (api === "anthropic") return createAnthropicModel({ ...options, baseUrl: url });
  return createOpenAIModel({ ...options, api, baseUrl: `${url}/v1` });
}

function rowOf(id: string): FaultRow {
  return faultTable.find((row) => row.id === id) as FaultRow;
}

const say = (api: WireApi, text: string): RawReply => wireAnswer(api, { text });
const callOf = (api: WireApi, call: WireCall): RawReply => wireAnswer(api, { call });

/** Replies to the turns before the one with the fault: a compaction needs something to take out. */
function opening(api: WireApi, { id }: FaultRow): readonly RawReply[] {
  return id === "overflow" ? ["One.", "Two.", "Three."].map((text) => say(api, text)) : [];
}

/** What the provider says between the fault and the call that is made again: a summary. */
const between = (api: WireApi, { id }: FaultRow): readonly RawReply[] =>
  id === "overflow" ? [say(api, "They said something.")] : [];

/** A first step that edits memory, and then nothing but the fault. */
function lasting(api: WireApi, row: FaultRow): readonly RawReply[] {
  const fault = faultOf(api, row.id);
  // Two compactions take out all that came before the running turn; after the second, nothing is left to take out.
  const withSummary = [fault, ...between(api, row)];
  if (row.id === "overflow") return [callOf(api, edit), ...withSummary, ...withSummary, fault];
  const times = row.always.stopReason === "max-steps" ? 3 : row.always.retries + 1;
  return [callOf(api, edit), ...Array.from({ length: times }, () => fault)];
}

const cutCall: WireCall = { ...edit, arguments: '{"name": "human", "content": "Na' };

function faultOf(api: WireApi, id: string): RawReply {
  const isAnthropic = api === "anthropic";
  const limited = { status: 429, code: "rate_limit_error", message: "Slow down" };
  const overload = isAnthropic
    ? { status: 529, code: "overloaded_error", message: "Overloaded" }
    : { status: 503, code: "server_error", message: "Overloaded" };
  const tooLong = isAnthropic
    ? { status: 400, code: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" }
    : { status: 400, code: "context_length_exceeded", message: "Your input exceeds the context window of this model." };
  const faults: Readonly<Record<string, RawReply>> = {
    "429-retry-after": wireRefusal(api, limited, { "retry-after": "7" }),
    "429-retry-after-long": wireRefusal(api, limited, { "retry-after": "3600" }),
    "429": wireRefusal(api, limited),
    "500": wireRefusal(api, { status: 500, code: "api_error", message: "Internal error" }),
    overloaded: wireRefusal(api, overload),
    "408": wireRefusal(api, { status: 408, code: "timeout_error", message: "Timed out" }),
    silence: { chunks: [], ending: "hang" },
    stall: { ...wireAnswer(api, { text: partial, end: "cut" }), ending: "hang" },
    slow: { ...wireAnswer(api, { text: partial, end: "cut" }), ending: "hang" },
    large: { chunks: Array.from({ length: 30 }, () => `: ${"x".repeat(10_000)}\n\n`), ending: "hang" },
    "cut-text": wireAnswer(api, { text: partial, end: "cut" }),
    "cut-arguments": wireAnswer(api, { text: partial, call: edit, end: "cut-in-call" }),
    "cut-after-call": { ...wireAnswer(api, { text: partial, call: edit, end: "cut" }), ending: "destroy" },
    "missing-call": wireAnswer(api, { text: partial, end: "call" }),
    malformed: callOf(api, { ...edit, arguments: '{"name": "human", "content": ' }),
    "unknown-tool": callOf(api, { ...edit, name: "core_memory_delete" }),
    "wrong-types": callOf(api, { ...edit, arguments: '{"name": ["human"], "content": 7}' }),
    empty: wireAnswer(api, {}),
    "length-text": wireAnswer(api, { text: partial, end: "length" }),
    "length-arguments": wireAnswer(api, { call: cutCall, end: "length" }),
    overflow: wireRefusal(api, tooLong),
    "refused-key": wireRefusal(api, { status: 401, code: "authentication_error", message: "Invalid key" }),
  };
  return faults[id] as RawReply;
}

function expectEnding(events: readonly AgentEvent[], { stopReason, code, retries }: Ending): void {
  expect(events.map((event) => event.sequence)).toEqual(events.map((_event, index) => index + 1));
  expect(events.filter((event) => event.type === "turn-start" || event.type === "turn-end")).toHaveLength(2);
  expect(events.filter((event) => event.type === "retry").map((event) => event.attempt)).toEqual(
    Array.from({ length: retries }, (_none, index) => index + 1),
  );
  const end = events.at(-1);
  expect(end).toMatchObject({ type: "turn-end", stopReason });
  expect(end?.type === "turn-end" ? end.error?.code : "no end").toBe(code);
}

/** The message is there once, and core memory has had these values of `human`, one revision each. */
async function expectKept({ agent, name }: FaultScene, values: readonly string[]): Promise<void> {
  expect(agent.messages.filter((message) => message.text === "I am Ada.")).toHaveLength(1);
  expect(agent.memory.read("human")).toBe(values.at(-1) ?? "");
  const revisions = await runtime.memory.revisions(name);
  expect(revisions.map((revision) => revision.after).toReversed()).toEqual(values);
  const again = await runtime.agents.open(name);
  expect(again.messages.map((message) => message.id)).toEqual(agent.messages.map((message) => message.id));
}

function expectPauses(events: readonly AgentEvent[], { id }: FaultRow): void {
  const pauses = events.flatMap((event) => (event.type === "retry" ? [event.delayMs] : []));
  const expected = id === "429-retry-after" ? [7000, 7000, 7000] : [250, 500, 1000];
  expect(pauses).toEqual(expected.slice(0, pauses.length));
}

function expectRules(api: WireApi, { bodies }: WireJournal): void {
  expect(bodies.flatMap((body) => checkBody(api, body))).toEqual([]);
}
