// OpenTelemetry spans of turns, with the real SDK and an exporter in memory.
import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Context,
  context,
  type ContextManager,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import type { RuntimeOptions } from "../../src/runtime/compose/compose.ts";
import { openTelemetry } from "../../src/runtime/compose/open-telemetry.ts";
import { ModelTimeoutError } from "../../src/base/errors.ts";
import type { ScriptedReply } from "../../src/model/llm/scripted/scripted-model.ts";
import { drain, useRuntimes } from "../support/runtime.ts";
import { append, openScene } from "../support/scene.ts";

const runtimes = useRuntimes();
const exporter = new InMemorySpanExporter();
const storage = new AsyncLocalStorage<Context>();

beforeAll(async () => {
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
  context.setGlobalContextManager(contextManager());
});
afterEach(() => exporter.reset());
afterAll(async () => {
  trace.disable();
  context.disable();
});

/** The part of the SDK's manager for Node that parents of spans need. */
function contextManager(): ContextManager {
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, work, self, ...values) => storage.run(active, () => work.apply(self, values)),
    bind: (_active, target) => target,
    enable: () => manager,
    disable: () => {
      storage.disable();
      return manager;
    },
  };
  return manager;
}

const usage = { inputTokens: 100, outputTokens: 5, cachedInputTokens: 40 };
const withTool: readonly ScriptedReply[] = [
  { thought: "A fact.", toolCalls: [append("Likes tea.")], usage },
  { text: "Noted.", usage },
];
const secret = /tea|Noted|fact|remember/u;

const open = (replies: readonly ScriptedReply[], options: RuntimeOptions = {}) =>
  openScene(runtimes, replies, { telemetry: "spans", ...options });

const spans = (): readonly ReadableSpan[] => exporter.getFinishedSpans();

function spanNamed(name: string): ReadableSpan {
  const found = spans().filter((span) => span.name === name);
  if (found.length !== 1)
    throw new Error(
      `Expected one span ${name}, got ${spans()
        .map((span) => span.name)
        .join(", ")}.`,
    );
  return found[0]!;
}

const everyText = (span: ReadableSpan): string =>
  JSON.stringify([span.name, span.attributes, span.events, span.status]);

describe("the spans of a turn", () => {
  it("are invoke_agent, chat and execute_tool by the conventions, nested, and without content", async () => {
    const { agent, name } = await open(withTool);
    await drain(agent.send("remember that I like tea"));
    expect(spans().map((span) => span.name)).toEqual([
      "execute_tool core_memory_append",
      "chat scripted",
      "chat scripted",
      `invoke_agent ${name}`,
    ]);
    const invocation = spanNamed(`invoke_agent ${name}`);
    const of = { "gen_ai.conversation.id": agent.conversationId };
    expect(invocation.kind).toBe(SpanKind.INTERNAL);
    expect(invocation.attributes).toEqual({
      ...of,
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.provider.name": "palimpsest",
      "gen_ai.request.model": "scripted",
      "gen_ai.agent.id": agent.record.id,
      "gen_ai.agent.name": name,
      "gen_ai.usage.input_tokens": 200,
      "gen_ai.usage.output_tokens": 10,
      "gen_ai.usage.cache_read.input_tokens": 80,
      "palimpsest.turn_id": expect.any(String),
      "palimpsest.stop_reason": "end-turn",
    });
    const [first, second] = spans().filter((span) => span.name === "chat scripted");
    expect(first!.kind).toBe(SpanKind.CLIENT);
    expect(first!.attributes).toEqual({
      ...of,
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "palimpsest",
      "gen_ai.request.model": "scripted",
      "gen_ai.request.stream": true,
      "gen_ai.response.time_to_first_chunk": expect.any(Number),
      "gen_ai.response.finish_reasons": ["tool_call"],
      "gen_ai.usage.input_tokens": 100,
      "gen_ai.usage.output_tokens": 5,
      "gen_ai.usage.cache_read.input_tokens": 40,
    });
    expect(second!.attributes["gen_ai.response.finish_reasons"]).toEqual(["stop"]);
    const tool = spanNamed("execute_tool core_memory_append");
    expect(tool.kind).toBe(SpanKind.INTERNAL);
    expect(tool.attributes).toEqual({
      ...of,
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "core_memory_append",
      "gen_ai.tool.type": "function",
      "gen_ai.tool.call.id": expect.any(String),
    });
    const parentId = invocation.spanContext().spanId;
    for (const span of [first!, second!, tool]) expect(span.parentSpanContext?.spanId).toBe(parentId);
    expect(spans().map((span) => span.status.code)).toEqual(spans().map(() => SpanStatusCode.UNSET));
    for (const span of spans()) expect(everyText(span)).not.toMatch(secret);
  });

  it("are in the order of time: a model call ends before its tool call begins", async () => {
    const { agent } = await open(withTool);
    await drain(agent.send("hello"));
    const msOf = ([seconds, nanoseconds]: readonly [number, number]) => seconds * 1000 + nanoseconds / 1e6;
    const [chat] = spans().filter((span) => span.name === "chat scripted");
    const tool = spanNamed("execute_tool core_memory_append");
    expect(msOf(chat!.endTime)).toBeGreaterThanOrEqual(msOf(chat!.startTime));
    expect(msOf(tool.startTime)).toBeGreaterThanOrEqual(msOf(chat!.endTime));
  });

  it("contain what the model and the tools wrote if content is asked for", async () => {
    const { agent } = await open(withTool, { telemetry: "content" });
    await drain(agent.send("remember that I like tea"));
    const [first, second] = spans().filter((span) => span.name === "chat scripted");
    const messagesOf = (span: ReadableSpan) => JSON.parse(String(span.attributes["gen_ai.output.messages"])) as unknown;
    const tool = spanNamed("execute_tool core_memory_append");
    const call = { id: tool.attributes["gen_ai.tool.call.id"], name: "core_memory_append" };
    expect(messagesOf(first!)).toEqual([
      {
        role: "assistant",
        parts: [
          { type: "reasoning", content: "A fact." },
          { type: "tool_call", ...call, arguments: { name: "human", content: "Likes tea." } },
        ],
        finish_reason: "tool_call",
      },
    ]);
    expect(messagesOf(second!)).toEqual([
      { role: "assistant", parts: [{ type: "text", content: "Noted." }], finish_reason: "stop" },
    ]);
    expect(tool.attributes["gen_ai.tool.call.arguments"]).toContain("Likes tea.");
    expect(tool.attributes["gen_ai.tool.call.result"]).toEqual(expect.any(String));
  });

  it("have the caller's active span as parent", async () => {
    const { agent, name } = await open([{ text: "Hi.", usage }]);
    const request = trace.getTracer("test").startSpan("request");
    await context.with(trace.setSpan(ROOT_CONTEXT, request), () => drain(agent.send("hello")));
    request.end();
    const { traceId, spanId } = request.spanContext();
    expect(spanNamed(`invoke_agent ${name}`).parentSpanContext).toMatchObject({ traceId, spanId });
  });

  it("name the provider and its model, and separate turns are separate traces", async () => {
    const { agent } = await open([{ text: "One." }, { text: "Two." }]);
    await drain(agent.send("one"));
    await drain(agent.send("two"));
    expect(new Set(spans().map((span) => span.spanContext().traceId)).size).toBe(2);
  });
});

describe("failures", () => {
  it("of a model are the error of its call and of the turn", async () => {
    const error = new ModelTimeoutError("Too late.", { provider: "scripted" });
    const { agent, name } = await open([{ error }]);
    await drain(agent.send("hello"));
    for (const span of [spanNamed("chat scripted"), spanNamed(`invoke_agent ${name}`)]) {
      expect(span.attributes["error.type"]).toBe("model_timeout");
      expect(span.status.code).toBe(SpanStatusCode.ERROR);
    }
  });

  it("of a tool are the error of its call only", async () => {
    const { agent, name } = await open([{ toolCalls: [{ name: "nonsense", arguments: {} }] }, { text: "Sorry." }]);
    await drain(agent.send("hello"));
    expect(spanNamed("execute_tool nonsense")).toMatchObject({
      attributes: { "error.type": "tool_failed" },
      status: { code: SpanStatusCode.ERROR },
    });
    expect(spanNamed(`invoke_agent ${name}`).attributes).not.toHaveProperty("error.type");
  });

  it("without an end of the turn still end every span", async () => {
    const observe = await openTelemetry("spans");
    const observer = observe({ agent: { id: "1", name: "diary", model: "openai/gpt-5.1" }, conversationId: "2" });
    const header = { agentId: "1", conversationId: "2", turnId: "3", sequence: 0 };
    const window = { tokens: 1, limit: 2 };
    observer.saw({ ...header, type: "turn-start", messageId: "4" });
    observer.saw({ ...header, type: "step-start", step: 1, messageId: "m-2", model: "openai/gpt-5.1", window });
    observer.saw({ ...header, type: "tool-call", step: 1, callId: "5", name: "look", arguments: "{" });
    observer.left();
    observer.left();
    expect(spans().map((span) => [span.name, span.attributes["error.type"]])).toEqual([
      ["chat gpt-5.1", "_OTHER"],
      ["execute_tool look", "_OTHER"],
      ["invoke_agent diary", "_OTHER"],
    ]);
    expect(spans()[0]!.attributes["gen_ai.provider.name"]).toBe("openai");
  });
});

describe("the setting", () => {
  it("makes no spans unless it asks for them", async () => {
    const { agent } = await open([{ text: "Hi." }], { telemetry: "off" });
    await drain(agent.send("hello"));
    expect(spans()).toEqual([]);
  });

  it("is a ConfigError without the package", async () => {
    const missing = () => Promise.reject(Object.assign(new Error("not found"), { code: "ERR_MODULE_NOT_FOUND" }));
    await expect(openTelemetry("spans", missing)).rejects.toMatchObject({
      code: "config_invalid",
      message: expect.stringContaining("npm install @opentelemetry/api"),
    });
  });

  it("passes on any other failure to load", async () => {
    await expect(openTelemetry("spans", () => Promise.reject(new RangeError("broken")))).rejects.toThrow("broken");
  });
});
