// A turn's events as chunks of the UI message stream, read by the AI SDK's own readers.
import type { UIMessageChunk as ChunkSix } from "ai-6";
import type { AgentEvent, EventBody, StopReason } from "../../../src/agent/events.ts";
import { noUsage } from "../../../src/base/message/message.ts";
import { createUiMessageEncoder, type UiEncodeOptions } from "../../../src/surfaces/stream/ai-sdk/encode-turn.ts";
import { sdks, type Sdk } from "../../support/ai-sdks.ts";
import { replayRun } from "../../../src/surfaces/stream/ai-sdk/replay-run.ts";
import { uiMessageResponse } from "../../../src/surfaces/stream/ai-sdk/stream-turn.ts";
import type { UiMessageChunk } from "../../../src/surfaces/stream/ai-sdk/ui-chunk.ts";

const header = { agentId: "agent", conversationId: "conversation", turnId: "turn" };

const eventsOf = (bodies: readonly EventBody[]): readonly AgentEvent[] =>
  bodies.map((body, at) => ({ ...header, sequence: at + 1, ...body }));

function encode(bodies: readonly EventBody[], options: UiEncodeOptions = {}): readonly UiMessageChunk[] {
  const encoder = createUiMessageEncoder(options);
  return [...eventsOf(bodies).flatMap((event) => encoder.read(event)), ...encoder.end()];
}

const start: EventBody = { type: "turn-start", messageId: "input" };
const window = { tokens: 10, limit: 100 };
const step = (number = 1): EventBody => ({
  type: "step-start",
  step: number,
  messageId: `m${number}`,
  model: "x",
  window,
});
const text = (said: string): EventBody => ({ type: "text-delta", step: 1, text: said });
const stepEnd: EventBody = { type: "step-end", step: 1, usage: noUsage };
const end = (stopReason: StopReason, more: object = {}): EventBody => {
  return { type: "turn-end", stopReason, text: "", steps: 1, usage: noUsage, ...more };
};
const call = { step: 1, callId: "c1", name: "tool", arguments: '{"a":1}' };
const result = (more: object = {}): EventBody => {
  return { type: "tool-result", step: 1, callId: "c1", name: "tool", status: "ok", text: "[1]", ...more };
};

const kindsOf = (chunks: readonly UiMessageChunk[]) => chunks.map(({ type }) => type);

async function readBy({ readUIMessageStream: read }: Sdk, chunks: readonly UiMessageChunk[]) {
  const stream = new ReadableStream<ChunkSix>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk as ChunkSix);
      controller.close();
    },
  });
  let last: unknown;
  for await (const message of read({ stream, terminateOnError: true })) last = message;
  return last as { readonly parts: readonly object[] };
}

const everything: readonly EventBody[] = [
  { type: "turn-queued", holder: "other", ahead: 1 },
  start,
  { type: "memory-revert", edits: [{ label: "human", revision: 2, before: "a", after: "b" }], passages: [] },
  { type: "compaction", id: "k", strategy: "ring", messages: 2, tokensBefore: 9, tokensAfter: 3, summary: "s" },
  step(),
  { type: "thought-delta", step: 1, text: "hm" },
  text("Well"),
  text(", yes."),
  { type: "tool-call", ...call },
  result(),
  { type: "memory-edit", step: 1, callId: "c1", label: "human", before: "", after: "x", revision: 1, limit: 9 },
  { type: "tool-call", ...call, callId: "c2", arguments: "{broken" },
  result({ callId: "c2", status: "failed", text: "Not JSON." }),
  { type: "warning", code: "memory-pressure", message: "full" },
  stepEnd,
  step(2),
  { type: "approval-requested", ...call, callId: "c3", preview: "adds", expiresAt: null },
  { type: "result-requested", ...call, callId: "c4", name: "clock" },
  stepEnd,
  end("awaiting-approval"),
  start,
  { type: "tool-call", ...call, callId: "c3" },
  result({ callId: "c3", status: "failed", text: "denied" }),
  { type: "tool-call", ...call, callId: "c4", name: "clock" },
  result({ callId: "c4", name: "clock" }),
  step(),
  text("Done."),
  stepEnd,
  end("end-turn"),
];

describe("the whole of a turn", () => {
  const chunks = encode(everything, { deniedCalls: ["c3"] });

  test.each(sdks)("is accepted by the schema of version %s, chunk by chunk", async (version, sdk) => {
    const known = chunks.filter(({ type }) => version === "7" || type !== "reset-step");
    for (const chunk of known)
      expect(await sdk.uiMessageChunkSchema().validate!(chunk)).toMatchObject({ success: true });
  });

  test("is one message with one start, one finish, and each part ended", () => {
    const kinds = kindsOf(chunks);
    for (const kind of ["start", "finish"]) expect(kinds.filter((one) => one === kind)).toHaveLength(1);
    for (const kind of ["text", "reasoning"]) {
      const ids = (suffix: string) =>
        chunks.flatMap((one) => (one.type === `${kind}-${suffix}` ? [(one as { id: string }).id] : []));
      expect(ids("end")).toEqual(ids("start"));
    }
    expect(kinds.filter((kind) => kind === "start-step")).toHaveLength(3);
    expect(kinds.filter((kind) => kind === "finish-step")).toHaveLength(3);
    expect(chunks.at(-1)).toMatchObject({ type: "finish", finishReason: "stop" });
  });

  test.each(sdks)("is read by version %s as one message", async (_, sdk) => {
    const message = await readBy(sdk, chunks);
    expect(JSON.stringify(message)).toBe(JSON.stringify(await readBy(sdks[0]![1], chunks)));
    expect(message.parts).toMatchObject([
      { type: "data-memory-revert" },
      { type: "data-compaction", id: "k" },
      { type: "step-start" },
      { type: "reasoning", text: "hm" },
      { type: "text", text: "Well, yes." },
      { type: "dynamic-tool", state: "output-available", input: { a: 1 }, output: "[1]", providerExecuted: true },
      { type: "data-memory-edit", id: "human:1", data: { after: "x", limit: 9 } },
      { type: "dynamic-tool", state: "output-error", input: "{broken", errorText: "Not JSON." },
      { type: "step-start" },
      { type: "dynamic-tool", state: "output-denied", approval: { descriptor: { preview: "adds" } } },
      { type: "tool-clock", state: "output-available", output: [1] },
      { type: "step-start" },
      { type: "text", text: "Done." },
    ]);
  });
});

test("the results of calls that the client does not know are left out", () => {
  expect(kindsOf(encode([start, result(), step(), text("x"), stepEnd, end("end-turn")]))).not.toContain(
    "tool-output-available",
  );
});

test("a turn that goes on after a decision repeats no calls, and no results that the client gave", () => {
  const bodies: readonly EventBody[] = [
    start,
    { type: "tool-call", ...call },
    result(),
    { type: "tool-call", ...call, callId: "c2" },
    result({ callId: "c2" }),
    end("end-turn"),
  ];
  const chunks = encode(bodies, { shownCalls: ["c1"], answeredCalls: ["c2"] });
  expect(chunks.slice(1, -1)).toEqual([{ type: "tool-output-available", toolCallId: "c1", output: "[1]" }]);
});

test("a turn that went on after a pause and has no end yet has no finish", () => {
  expect(kindsOf(encode([start, step(), stepEnd, end("awaiting-result"), start, step(), text("x")])).at(-1)).toBe(
    "finish-step",
  );
});

test("calls of hidden tools are left out", () => {
  const chunks = encode(
    [start, step(), { type: "tool-call", ...call }, text("x"), result(), stepEnd, end("end-turn")],
    { hiddenTools: ["tool"] },
  );
  expect(kindsOf(chunks).filter((kind) => kind.startsWith("tool-"))).toEqual([]);
});

test.each<[StopReason, object, readonly string[], string]>([
  ["length", {}, ["finish"], "length"],
  ["refusal", {}, ["finish"], "content-filter"],
  ["max-steps", {}, ["finish"], "other"],
  ["awaiting-result", {}, ["finish"], "tool-calls"],
  ["interrupted", {}, ["abort", "finish"], "other"],
  ["model-error", { error: { code: "model_auth", message: "No key." } }, ["finish", "error"], "error"],
])("the end %s", (stopReason, more, kinds, finishReason) => {
  const chunks = encode([start, step(), text("x"), end(stopReason, more)]).slice(-kinds.length - 2);
  expect(kindsOf(chunks)).toEqual(["text-end", "finish-step", ...kinds]);
  expect(chunks.find(({ type }) => type === "finish")).toMatchObject({ finishReason, messageMetadata: { stopReason } });
});

describe("a model call that is repeated", () => {
  const retry: EventBody = { type: "retry", step: 1, attempt: 1, delayMs: 5, reason: "cut off" };
  const bodies = [start, step(), text("Hel"), retry, text("Hello."), stepEnd, end("end-turn")];

  // Version 6 shows what came before, marked as not counting; version 7 removes it.
  test.each(sdks)("is read by version %s", async (version, sdk) => {
    const hasResets = version === "7";
    const { parts } = await readBy(sdk, encode(bodies, { hasResets }));
    const before = hasResets ? [] : [{ text: "Hel" }, { type: "data-retry" }];
    expect(parts).toMatchObject([{ type: "step-start" }, ...before, { text: "Hello." }]);
  });

  test.each(sdks)(
    "is also one whose process ended before the reply was stored, for version %s",
    async (version, sdk) => {
      const hasResets = version === "7";
      const again = (replyId: string | null): EventBody => ({ type: "turn-start", messageId: "input", replyId });
      const killed = [start, step(), text("Hel"), again(null), step(2), text("Hello."), stepEnd, end("end-turn")];
      const before = hasResets ? [] : [{ text: "Hel" }, { type: "data-retry" }];
      const { parts } = await readBy(sdk, encode(killed, { hasResets }));
      expect(parts).toMatchObject([{ type: "step-start" }, ...before, { type: "step-start" }, { text: "Hello." }]);
      const begun = [start, step(), text("Let me see.")];
      const called = [...begun, { type: "tool-call", ...call } as const];
      const rest = [result(), step(2), stepEnd, end("end-turn")];
      for (const stored of [begun, called]) {
        expect(kindsOf(encode([...stored, again("m1"), ...rest]))).not.toContain("data-retry");
      }
      // A call that is stored with its result was not stored without it, and comes again.
      const twice = [...called, again(null), step(2), ...called.slice(2), ...rest];
      const counted = (await readBy(sdk, encode(twice, { hasResets }))).parts;
      const marked = counted.findLastIndex((part) => (part as { type: string }).type === "data-retry");
      expect(counted.slice(hasResets ? 1 : marked + 1)).toMatchObject([
        { type: "step-start" },
        { text: "Let me see." },
        { toolCallId: "c1", state: "output-available" },
        { type: "step-start" },
      ]);
    },
  );

  test("leaves nothing of what came before in a replay", () => {
    expect(replayRun(eventsOf(bodies)).map(({ sequence }) => sequence)).toEqual([1, 2, 5, 6, 7]);
  });
});

describe("a replay", () => {
  const numbers = (bodies: readonly EventBody[]) => replayRun(eventsOf(bodies)).map(({ sequence }) => sequence);
  const again = (replyId: string | null): EventBody => ({ type: "turn-start", messageId: "input", replyId });
  const answer = [start, step(), text("x"), stepEnd, end("end-turn")];

  test("has the last answer only, if it was given again", () => {
    expect(numbers([...answer, again(null), ...answer.slice(1)])).toEqual([1, 6, 7, 8, 9, 10]);
    expect(numbers(answer)).toEqual([1, 2, 3, 4, 5]);
    const twoSteps = [start, step(), text("x"), stepEnd, step(2), text("y"), stepEnd, end("end-turn")];
    expect(numbers([...twoSteps, again("m1"), step(3)])).toEqual([1, 2, 3, 4, 9, 10]);
  });

  test("has what was before a pause, and before a limit", () => {
    const waits = [start, step(), { type: "approval-requested", ...call, preview: null, expiresAt: null }] as const;
    expect(numbers([...waits, stepEnd, end("awaiting-approval"), again("m1"), ...answer.slice(1)])).toHaveLength(10);
    expect(numbers([start, step(), text("x"), stepEnd, end("budget"), again("m1"), step(2)])).toHaveLength(7);
  });

  test("has no text of a reply that was not stored, and all of one that was, whatever followed it", () => {
    expect(numbers([start, step(), text("x"), again(null), step(2), text("y")])).toEqual([1, 4, 5, 6]);
    const called = [start, step(), text("x"), { type: "tool-call", ...call } as const];
    expect(numbers([...called, again(null), step(2)])).toEqual([1, 5, 6]);
    expect(numbers([...called.slice(0, 3), again("m1"), step(2)])).toEqual([1, 2, 3, 4, 5]);
    expect(numbers([...called, again("m1"), result(), step(2), text("y"), again("m1")])).toEqual([1, 2, 3, 4, 5, 6, 9]);
  });

  test("has no text of a model call that failed", () => {
    expect(numbers([start, step(), text("x"), end("model-error")])).toEqual([1, 2, 4]);
    expect(numbers([start, step(), text("x"), again("m1"), text("said"), end("model-error")])).toHaveLength(6);
  });
});

describe("a response", () => {
  async function* events(failure?: Error): AsyncGenerator<AgentEvent, void> {
    yield* eventsOf([start, step(), text("x")]);
    if (failure !== undefined) throw failure;
    yield* eventsOf([stepEnd, end("end-turn")]);
  }

  test("is a stream of events with the header of the protocol", async () => {
    const response = uiMessageResponse(events());
    expect(response.headers.get("x-vercel-ai-ui-message-stream")).toBe("v1");
    const body = await response.text();
    expect(body.split("\n\n").at(-2)).toBe("data: [DONE]");
  });

  test("reports a failure as a chunk, without its message unless asked to", async () => {
    expect(await uiMessageResponse(events(new Error("secret"))).text()).toMatch(/"errorText":"The server failed\."/u);
    const onError = (error: unknown) => `Failed: ${(error as Error).message}`;
    expect(await uiMessageResponse(events(new Error("known")), { onError }).text()).toContain("Failed: known");
  });

  test("ends the reading when the reader leaves", async () => {
    let hasLeft = false;
    async function* endless(): AsyncGenerator<AgentEvent, void> {
      try {
        for (;;) yield* eventsOf([text("x")]);
      } finally {
        hasLeft = true;
      }
    }
    const reader = uiMessageResponse(endless()).body!.getReader();
    await reader.read();
    await reader.cancel();
    expect(hasLeft).toBe(true);
  });
});
