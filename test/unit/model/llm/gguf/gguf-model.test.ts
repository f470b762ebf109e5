// The adapter over a library that plays a script: events, turns, aborts, failures, loading and freeing.
import type { Ids } from "../../../../../src/base/ids.ts";
import { ContextOverflowError, ModelRequestError } from "../../../../../src/base/errors.ts";
import { createGgufModel } from "../../../../../src/model/llm/gguf/gguf-model.ts";
import { stopReasonOf } from "../../../../../src/model/llm/gguf/run-request.ts";
import { threadsOf } from "../../../../../src/model/llm/gguf/load-llama.ts";
import type { Model, ModelEvent, ModelRequest } from "../../../../../src/model/llm/model.ts";
import { createFakeLlama, type FakeLlama, type FakeLlamaOptions } from "../../../../support/fake-llama.ts";
import { createManualClock } from "../../../../support/manual-clock.ts";

const tool = {
  name: "core_memory_append",
  description: "Append.",
  parameters: {
    type: "object",
    properties: { name: { type: "string" }, page: { type: "integer" } },
    required: ["name"],
  },
};

function request(text: string, more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: { instructions: "Be kind.", memory: "" },
    messages: [{ role: "user", content: [{ type: "text", text }] }],
    tools: [tool],
    maxOutputTokens: 100,
    ...more,
  };
}

interface Made {
  readonly model: Model;
  readonly llama: FakeLlama;
  readonly lines: string[];
}

function make(options: FakeLlamaOptions = {}, clock = createManualClock()): Made {
  const llama = createFakeLlama(options);
  const lines: string[] = [];
  let next = 0;
  const ids: Ids = { next: () => `id-${(next += 1)}` };
  const model = createGgufModel({
    path: "/models/small.gguf",
    contextWindow: 4096,
    clock,
    ids,
    log: (line) => lines.push(line),
    loadLibrary: llama.loadLibrary,
  });
  return { model, llama, lines };
}

async function eventsOf(model: Model, asked: ModelRequest, signal?: AbortSignal): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(asked, signal === undefined ? {} : { signal })) events.push(event);
  return events;
}

describe("createGgufModel", () => {
  it("emits thoughts, text and calls, then the end with its usage", async () => {
    const { model, llama } = make({
      answers: [
        {
          steps: [
            { think: "a name" },
            { say: "Noted" },
            { say: "" },
            { call: "core_memory_append", params: { name: "human", page: null } },
            { call: "core_memory_append", params: { name: "persona", page: 2 } },
          ],
          stopReason: "functionCalls",
        },
      ],
    });
    expect(model.name).toBe("gguf//models/small.gguf");
    expect(await eventsOf(model, request("I am Ada"))).toEqual([
      { type: "thought-delta", text: "a name" },
      { type: "text-delta", text: "Noted" },
      { type: "tool-call", callId: "id-1", name: "core_memory_append", arguments: '{"name":"human"}' },
      { type: "tool-call", callId: "id-2", name: "core_memory_append", arguments: '{"name":"persona","page":2}' },
      // "Be kind." and "I am Ada", and the model's empty item.
      { type: "end", stopReason: "tool-calls", usage: { inputTokens: 6, outputTokens: 5, cachedInputTokens: 0 } },
    ]);
    expect(llama.asked[0]?.options.functions).toHaveProperty("core_memory_append");
    expect(llama.asked[0]?.isForced).toBe(false);
  });

  it("emits the received part of a truncated call, and a complete call once", async () => {
    const call = "core_memory_append";
    const { model } = make({
      answers: [
        {
          steps: [
            { call, piece: '{"name":', done: false },
            { call, piece: '"a"}', done: true },
            { call, params: { name: "a" } },
            { call, piece: '{"na', done: false },
            { call, piece: "me", done: false },
          ],
          stopReason: "maxTokens",
        },
      ],
    });
    const events = await eventsOf(model, request("Hi"));
    expect(events.slice(0, -1)).toEqual([
      { type: "tool-call", callId: "id-1", name: call, arguments: '{"name":"a"}' },
      { type: "tool-call", callId: "id-2", name: call, arguments: '{"name' },
    ]);
    expect(events.at(-1)).toMatchObject({ type: "end", stopReason: "length" });
  });

  it("treats a reply that consists of a call in JSON as that call, and emits any other unchanged", async () => {
    const json = '{\n  "name": "core_memory_append",\n  "arguments": {"name": "human"}\n}';
    const pieces = (text: string) => ({ steps: Array.from(text, (say) => ({ say })) });
    const { model } = make({ answers: [pieces(json), pieces('{"name": "Ada"}'), pieces("``no``"), pieces(json)] });
    expect(await eventsOf(model, request("1"))).toEqual([
      { type: "tool-call", callId: "id-1", name: "core_memory_append", arguments: '{"name":"human"}' },
      expect.objectContaining({ type: "end", stopReason: "tool-calls" }),
    ]);
    expect(await eventsOf(model, request("2"))).toEqual([
      { type: "text-delta", text: '{"name": "Ada"}' },
      expect.objectContaining({ type: "end", stopReason: "end" }),
    ]);
    expect((await eventsOf(model, request("3"))).slice(0, 2)).toEqual([
      { type: "text-delta", text: "``n" },
      { type: "text-delta", text: "o" },
    ]);
    const toolless = await eventsOf(model, request("4", { tools: [] }));
    expect(toolless[0]).toEqual({ type: "text-delta", text: "{" });
  });

  it("counts tokens that the sequence already contains as cached", async () => {
    const { model } = make();
    await eventsOf(model, request("one two three"));
    const events = await eventsOf(model, request("one two four"));
    expect(events.at(-1)).toMatchObject({ usage: { inputTokens: 6, cachedInputTokens: 4 } });
  });

  it("loads once, leaves a core free, and frees its memory", async () => {
    const { model, llama } = make();
    await eventsOf(model, request("Hi"));
    await eventsOf(model, request("Hi"));
    expect(llama.counts).toMatchObject({ loads: 1, frees: 0, threads: 3 });
    await model.close?.();
    await model.close?.();
    expect(llama.counts).toMatchObject({ frees: 1 });
    await eventsOf(model, request("Hi"));
    expect(llama.counts).toMatchObject({ loads: 2 });
    expect([threadsOf(1), threadsOf(2), threadsOf(16)]).toEqual([1, 1, 15]);
  });

  it("makes a second request wait for the first", async () => {
    let goOn = (): void => undefined;
    const wait = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const { model, llama } = make({ answers: [{ steps: [{ wait }, { say: "one" }] }, { steps: [{ say: "two" }] }] });
    const first = eventsOf(model, request("1"));
    const second = eventsOf(model, request("2"));
    for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
    expect(llama.asked).toHaveLength(1);
    goOn();
    expect((await first)[0]).toMatchObject({ text: "one" });
    expect((await second)[0]).toMatchObject({ text: "two" });
    expect(llama.counts.maxAtOnce).toBe(1);
  });

  it("forces a call if one is required, and offers none without tools", async () => {
    const { model, llama } = make();
    await eventsOf(model, request("Hi", { toolChoice: "required" }));
    await eventsOf(model, request("Hi", { toolChoice: "required", tools: [] }));
    await eventsOf(model, request("Hi"));
    expect(llama.asked.map(({ isForced }) => isForced)).toEqual([true, false, false]);
    expect(llama.asked.map(({ options }) => options.maxParallelFunctionCalls)).toEqual([1, undefined, 4]);
    expect(llama.asked.map(({ options }) => options.temperature)).toEqual([0, 0.6, 0.6]);
    expect(llama.asked[1]?.options.functions).toBeUndefined();
  });

  it("refuses a request that exceeds the context before it reads any of it", async () => {
    const { model, llama } = make({ contextSize: 300 });
    const long = "word ".repeat(300);
    await expect(eventsOf(model, request(long))).rejects.toThrow(ContextOverflowError);
    await expect(eventsOf(model, request(long))).rejects.toThrow(
      /longer than the window of "small\.gguf": \d+ tokens of 300/u,
    );
    expect(llama.pieces).toEqual([]);
  });

  it("never generates more than there is room for", async () => {
    const { model, llama } = make({ contextSize: 300 });
    await eventsOf(model, request("word ".repeat(200).trim(), { maxOutputTokens: 4096 }));
    expect(llama.asked[0]?.options.maxTokens).toBe(300 - 203 - 8);
    await eventsOf(model, request("Hi", { maxOutputTokens: 10 }));
    expect(llama.asked[1]?.options.maxTokens).toBe(10);
  });

  it("reads a long prompt completely, in batches", async () => {
    const { model, llama } = make();
    const text = Array.from({ length: 300 }, (_, index) => `piece${index}`).join(" ");
    const events = await eventsOf(model, request(text));
    // 300 words, 2 of the prompt and the model's empty item; the last token begins the reply.
    expect(llama.pieces).toEqual([128, 128, 46]);
    expect(events.at(-1)).toMatchObject({ usage: { inputTokens: 303, cachedInputTokens: 0 } });
  });

  it("stops reading a long prompt at the batch where it is aborted", async () => {
    const stop = new AbortController();
    const { model, llama } = make({ onPiece: () => stop.abort(new Error("enough")) });
    const text = Array.from({ length: 1000 }, (_, index) => `word${index}`).join(" ");
    await expect(eventsOf(model, request(text), stop.signal)).rejects.toThrow("enough");
    await model.close?.();
    expect(llama.pieces).toEqual([128]);
    expect(llama.asked).toEqual([]);
  });

  it("ends at once when it is aborted: before, while it waits in the queue, and while it generates", async () => {
    const { model, llama } = make({ answers: [{ steps: [{ say: "one" }, { wait: new Promise(() => undefined) }] }] });
    await expect(eventsOf(model, request("0"), AbortSignal.abort(new Error("before")))).rejects.toThrow("before");
    const running = new AbortController();
    const waiting = new AbortController();
    const first = model.stream(request("1"), { signal: running.signal })[Symbol.asyncIterator]();
    expect((await first.next()).value).toMatchObject({ text: "one" });
    const second = eventsOf(model, request("2"), waiting.signal);
    waiting.abort(new Error("waited"));
    await expect(second).rejects.toThrow("waited");
    running.abort(new Error("wrote"));
    await expect(first.next()).rejects.toThrow("wrote");
    expect(await eventsOf(model, request("3"))).toHaveLength(2);
    expect(llama.counts.running).toBe(0);
  });

  it("stops the model when the reader stops", async () => {
    const { model, llama } = make({ answers: [{ steps: [{ say: "one" }, { wait: new Promise(() => undefined) }] }] });
    for await (const event of model.stream(request("Hi"), {})) {
      expect(event).toMatchObject({ text: "one" });
      break;
    }
    await eventsOf(model, request("Hi"));
    expect(llama.counts.running).toBe(0);
  });

  it("reports the progress of loading every two seconds", async () => {
    const clock = createManualClock();
    const shares = [0.1, 0.2, 0.421, 0.5, 0.999].map((share, index) => async () => {
      await clock.advance(index === 1 ? 500 : 1500);
      return share;
    });
    const { model, lines } = make({ shares }, clock);
    await eventsOf(model, request("Hi"));
    expect(lines).toEqual(["loading small.gguf 20 %", "loading small.gguf 50 %"]);
  });

  it("reports why it cannot be loaded, frees its memory, and retries with the next call", async () => {
    const { model, llama } = make({ loadFails: new Error("Failed to load model") });
    const failure = await eventsOf(model, request("Hi")).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ModelRequestError);
    expect(String(failure)).toMatch(
      /small\.gguf cannot be loaded with a context of 4096 tokens.*`contextWindow`.*Failed to load model tensor data is out of bounds/u,
    );
    expect(llama.counts).toMatchObject({ loads: 1, frees: 1 });
    await expect(eventsOf(model, request("Hi"))).rejects.toThrow(ModelRequestError);
    expect(llama.counts).toMatchObject({ loads: 2, frees: 2 });
  });

  it("converts the library's errors to model errors, after the emitted text", async () => {
    const { model } = make({ answers: [{ steps: [{ say: "He" }], fails: new Error("Eval has failed") }] });
    const said: string[] = [];
    const reading = (async () => {
      for await (const event of model.stream(request("Hi"), {})) said.push(event.type);
    })();
    await expect(reading).rejects.toThrow(
      /small\.gguf failed while it read the prompt or wrote the reply.*Eval has failed/u,
    );
    expect(said).toEqual(["text-delta"]);
  });
});

it.each([
  ["eogToken", "end"],
  ["stopGenerationTrigger", "end"],
  ["customStopTrigger", "end"],
  ["functionCalls", "tool-calls"],
  ["maxTokens", "length"],
  ["abort", "length"],
] as const)("stopReasonOf returns %s as %s", (reason, expected) => {
  expect(stopReasonOf(reason)).toBe(expected);
});
