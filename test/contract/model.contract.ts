// What every adapter to a real provider must do, over HTTP with the real SDKs against a mock of the provider.
// After each test every body that was sent is checked against the provider's own rules.
import { LLMock } from "@copilotkit/aimock";
import {
  ContextOverflowError,
  ModelAuthError,
  type ModelError,
  ModelProtocolError,
  ModelRateLimitError,
  ModelRequestError,
  ModelUnavailableError,
} from "../../src/base/errors.ts";
import type { Model } from "../../src/model/llm/model.ts";
import { withRetries } from "../../src/model/llm/retry/retrying-model.ts";
import { checkBody, type WireApi } from "../support/journal-checks.ts";
import { createHurriedClock } from "../support/manual-clock.ts";
import {
  assistantCalls,
  deltas,
  drain,
  rejectionOf,
  replyOf,
  requestOf,
  toolReturns,
} from "../support/model-events.ts";
import { createWireJournal, type WireJournal } from "../support/wire-journal.ts";

export interface ModelSubject {
  readonly api: WireApi;
  /** What the mock calls the tokens of its usage. */
  readonly usage: Readonly<Record<string, number>>;
  /** A refusal of this provider's for a request that is too long. */
  readonly overflow: { readonly message: string; readonly type?: string; readonly code?: string };
  create(options: { readonly baseUrl: string; readonly apiKey: string; readonly fetch: typeof fetch }): Model;
}

const apiKey = "sk-contract-key-123456";

/** Runs the contract for one adapter. */
export function describeModelContract(title: string, subject: ModelSubject): void {
  describe(title, () => {
    const provider = new LLMock({ logLevel: "silent", chunkSize: 5, auth: { apiKeys: [apiKey] } });
    let journal: WireJournal;
    let model: Model;

    const modelWith = (changes: { readonly apiKey?: string; readonly baseUrl?: string }): Model =>
      subject.create({ baseUrl: provider.url, apiKey, fetch: journal.fetch, ...changes });

    beforeAll(() => provider.start());
    afterAll(() => provider.stop());
    beforeEach(() => {
      provider.clearFixtures();
      provider.resetMatchCounts();
      journal = createWireJournal();
      model = modelWith({});
    });
    afterEach(() => expect(journal.bodies.flatMap((body) => checkBody(subject.api, body))).toEqual([]));

    it("streams text in pieces and ends once, with usage", async () => {
      provider.onMessage("hello", { content: "Good morning, Ada.", usage: subject.usage });
      const events = await drain(model, requestOf(["hello"]));
      expect(deltas(events, "text-delta")).toBe("Good morning, Ada.");
      expect(events.filter((event) => event.type === "text-delta").length).toBeGreaterThan(2);
      expect(events.filter((event) => event.type === "end")).toEqual([
        { type: "end", stopReason: "end", usage: { inputTokens: 31, outputTokens: 7, cachedInputTokens: 0 } },
      ]);
      expect(events.at(-1)?.type).toBe("end");
    });

    it("emits parallel tool calls complete, in order, after the preceding text", async () => {
      const toolCalls = [
        { id: "call_1", name: "get_weather", arguments: '{"city":"Oslo"}' },
        { id: "call_2", name: "get_weather", arguments: '{"city":"Bergen, in the rain"}' },
      ];
      provider.onMessage("weather", { content: "Let me look.", toolCalls });
      const events = await drain(model, requestOf(["weather?"]));
      expect(deltas(events, "text-delta")).toBe("Let me look.");
      expect(events.filter((event) => event.type === "tool-call")).toEqual([
        { type: "tool-call", callId: "call_1", name: "get_weather", arguments: '{"city":"Oslo"}' },
        { type: "tool-call", callId: "call_2", name: "get_weather", arguments: '{"city":"Bergen, in the rain"}' },
      ]);
      expect(events.at(-1)).toMatchObject({ type: "end", stopReason: "tool-calls" });
    });

    it("answers from the results of its calls", async () => {
      provider.on(
        { userMessage: "Oslo", hasToolResult: false },
        {
          content: "Looking.",
          toolCalls: [
            { id: "call_1", name: "get_weather", arguments: '{"city":"Oslo"}' },
            { id: "call_2", name: "get_weather", arguments: '{"city":"Bergen"}' },
          ],
        },
      );
      provider.on({ userMessage: "Oslo", hasToolResult: true }, { content: "It rains." });
      const asked = await drain(model, requestOf(["Oslo?"]));
      const history = ["Oslo?", replyOf(asked), toolReturns("call_1", "rain"), toolReturns("call_2", "", "failed")];
      const answered = await drain(model, requestOf(history));
      expect(deltas(answered, "text-delta")).toBe("It rains.");
    });

    it("can continue after a call whose arguments were not JSON", async () => {
      provider.onMessage("Oslo", { content: "I will try again." });
      const history = ["Oslo?", assistantCalls(["call_1", '{"city":']), toolReturns("call_1", "not JSON", "failed")];
      const answered = await drain(model, requestOf(history));
      expect(deltas(answered, "text-delta")).toBe("I will try again.");
      expect(JSON.stringify(journal.bodies.at(-1))).toContain("malformed_arguments");
    });

    it("emits thoughts, and sends signed ones back", async () => {
      provider.on(
        { userMessage: "think", hasToolResult: false },
        {
          reasoning: "Oslo is in Norway.",
          reasoningSignature: "c2lnbmF0dXJl",
          content: "Looking.",
          toolCalls: [{ id: "call_1", name: "get_weather", arguments: "{}" }],
        },
      );
      provider.on({ userMessage: "think", hasToolResult: true }, { content: "Done." });
      const events = await drain(model, requestOf(["think"]));
      expect(deltas(events, "thought-delta")).toBe("Oslo is in Norway.");
      expect(events.some((event) => event.type === "thought-signature")).toBe(true);

      await drain(model, requestOf(["think", replyOf(events), toolReturns("call_1", "rain")]));
      expect(JSON.stringify(journal.bodies[1]).includes("Oslo is in Norway.")).toBe(true);
    });

    it("reports a reply that was truncated at its length limit", async () => {
      provider.onMessage("long", { content: "Once upon a", finishReason: "length" });
      expect((await drain(model, requestOf(["long"]))).at(-1)).toMatchObject({ stopReason: "length" });
    });

    it("reports a rate limit with the requested delay, and recovers from it", async () => {
      provider.on(
        { userMessage: "busy", sequenceIndex: 0 },
        { error: { message: "Slow down", type: "rate_limit_error" }, status: 429, retryAfter: 7 },
      );
      provider.on({ userMessage: "busy", sequenceIndex: 1 }, { content: "Now." });
      const clock = createHurriedClock();
      const events = await drain(withRetries(model, { clock, random: () => 0.5 }), requestOf(["busy"]));
      expect(events[0]).toMatchObject({ type: "retry", attempt: 1, delayMs: 7000 });
      expect(deltas(events, "text-delta")).toBe("Now.");
      expect(clock.waits).toEqual([7000]);
    });

    it.each([500, 503, 529])("recovers from %i", async (status) => {
      provider.on({ userMessage: "fail", sequenceIndex: 0 }, { error: { message: "Oops", type: "api_error" }, status });
      provider.on({ userMessage: "fail", sequenceIndex: 1 }, { content: "Fine." });
      const retrying = withRetries(model, { clock: createHurriedClock(), random: () => 0.5 });
      const events = await drain(retrying, requestOf(["fail"]));
      expect(events[0]).toMatchObject({ type: "retry", attempt: 1, delayMs: 250 });
      expect(deltas(events, "text-delta")).toBe("Fine.");
    });

    it("fails after the configured attempts, with the provider's error", async () => {
      provider.onMessage("down", { error: { message: "Oops", type: "api_error" }, status: 500 });
      const retrying = withRetries(model, { clock: createHurriedClock(), random: () => 0, maxAttempts: 3 });
      const error = await rejectionOf(drain(retrying, requestOf(["down"])));
      expect(error).toBeInstanceOf(ModelUnavailableError);
      expect(journal.bodies).toHaveLength(3);
    });

    it("treats a stream that is cut off after some text as broken, and retries the call", async () => {
      provider.on(
        { userMessage: "cut", sequenceIndex: 0 },
        { content: "This will be cut short" },
        { truncateAfterChunks: 4 },
      );
      provider.on({ userMessage: "cut", sequenceIndex: 1 }, { content: "Whole." });
      const retrying = withRetries(model, { clock: createHurriedClock(), random: () => 0 });
      const events = await drain(retrying, requestOf(["cut"]));
      expect(events.map((event) => event.type)).toContain("retry");
      expect(replyOf(events).content).toEqual([{ type: "text", text: "Whole." }]);
    });

    it("never emits a tool call whose stream was cut off", async () => {
      const toolCalls = [{ name: "get_weather", arguments: '{"city":"Oslo, where it rains a lot"}' }];
      provider.onMessage("cut call", { toolCalls }, { latency: 5, truncateAfterChunks: 4 });
      const seen: string[] = [];
      const error = await rejectionOf(
        (async () => {
          for await (const event of model.stream(requestOf(["cut call"]), {})) seen.push(event.type);
        })(),
      );
      expect(error).toBeInstanceOf(ModelProtocolError);
      expect(seen).not.toContain("tool-call");
    });

    it("throws the reason of an abort in the middle of the stream", async () => {
      provider.onMessage("slow", { content: "word ".repeat(20) }, { latency: 20 });
      const controller = new AbortController();
      const reason = new Error("enough");
      const reading = (async () => {
        for await (const event of model.stream(requestOf(["slow"]), { signal: controller.signal })) {
          if (event.type === "text-delta") controller.abort(reason);
        }
      })();
      expect(await rejectionOf(reading)).toBe(reason);
    });

    it("sends nothing when it is aborted already", async () => {
      const reason = new Error("never mind");
      expect(await rejectionOf(drain(model, requestOf(["hello"]), AbortSignal.abort(reason)))).toBe(reason);
      expect(journal.bodies).toEqual([]);
    });

    it("names a model that the provider does not know", async () => {
      provider.onMessage("hello", { error: { message: "model: nope", type: "not_found_error" }, status: 404 });
      const error = await rejectionOf(drain(model, requestOf(["hello"])));
      expect(error).toBeInstanceOf(ModelRequestError);
      expect((error as ModelError).message).toContain('has no model named "test-model"');
    });

    it("names the option with the refused key, and not the key", async () => {
      const badKey = "sk-wrong-key-987654321";
      const error = await rejectionOf(drain(modelWith({ apiKey: badKey }), requestOf(["hello"])));
      expect(error).toBeInstanceOf(ModelAuthError);
      const { message } = error as ModelError;
      expect(message).toMatch(/refused the key \(401\)\. Set `(anthropic|openai)ApiKey`/);
      expect(message).not.toContain(badKey);
    });

    it("distinguishes a request that is too long from other refusals", async () => {
      provider.onMessage("huge", { error: subject.overflow, status: 400 });
      provider.onMessage("odd", { error: { message: "Bad field", type: "invalid_request_error" }, status: 400 });
      const [huge, odd] = [
        rejectionOf(drain(model, requestOf(["huge"]))),
        rejectionOf(drain(model, requestOf(["odd"]))),
      ];
      expect(await huge).toBeInstanceOf(ContextOverflowError);
      expect(await odd).toBeInstanceOf(ModelRequestError);
    });

    it("reports a server that cannot be reached", async () => {
      const error = await rejectionOf(drain(modelWith({ baseUrl: "http://127.0.0.1:9" }), requestOf(["hello"])));
      expect(error).toBeInstanceOf(ModelUnavailableError);
      expect((error as ModelError).message).toContain("cannot be reached");
    });

    it("throws a rate limit with its details", async () => {
      provider.onMessage("busy", { error: { message: "Slow down" }, status: 429, retryAfter: 3 });
      const error = await rejectionOf(drain(model, requestOf(["busy"])));
      expect(error).toBeInstanceOf(ModelRateLimitError);
      expect(error).toMatchObject({ status: 429, retryAfterMs: 3000, retryable: true });
    });
  });
}
