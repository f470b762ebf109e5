// What a provider tells of a request besides its tokens: why its cache did not have the beginning, and thoughts that it did not accept.
import { createAnthropicModel } from "../../../../src/model/llm/anthropic/anthropic-model.ts";
import { systemClock } from "../../../../src/base/clock.ts";
import { createOpenAIEmbedder } from "../../../../src/model/embedding/openai/openai-embedder.ts";
import type { Model, ModelRequest } from "../../../../src/model/llm/model.ts";
import { createOpenAIModel } from "../../../../src/model/llm/openai/openai-model.ts";
import { sealSignature } from "../../../../src/model/llm/wire/thought-signature.ts";
import { addUsage, type Usage } from "../../../../src/base/message/message.ts";
import { drain, requestOf } from "../../../support/model-events.ts";
import { wireAnswer, wireRefusal } from "../../../support/wire-replies.ts";

interface Sent {
  readonly betas: string | null;
  readonly body: Readonly<Record<string, unknown>>;
}

type Reply = ReturnType<typeof wireAnswer>;

/** Answers requests in their order, and records them. */
const recordingFetch =
  (replies: Reply[], sent: Sent[]): typeof globalThis.fetch =>
  async (_url, init) => {
    sent.push({ betas: new Headers(init?.headers).get("anthropic-beta"), body: JSON.parse(init?.body as string) });
    const { status = 200, headers = { "content-type": "text/event-stream" }, chunks } = replies.shift()!;
    return new Response(chunks.join(""), { status, headers });
  };

/** An answer of Anthropic's API whose message has these fields. */
function answer(fields: object): Reply {
  const { chunks } = wireAnswer("anthropic", { text: "Hi." });
  return {
    chunks: chunks.map((chunk) => chunk.replace('"message":{', `"message":{${JSON.stringify(fields).slice(1, -1)},`)),
  };
}

async function usageOf(model: Model, request: ModelRequest): Promise<Usage> {
  const events = await drain(model, request);
  return events.find((event) => event.type === "end")!.usage;
}

const conversation = (id: string): ModelRequest => requestOf(["hi"], { cacheKey: id });

test("Anthropic's API is asked why the cache missed, with the reply before in the same conversation", async () => {
  const sent: Sent[] = [];
  const changed = { diagnostics: { cache_miss_reason: { type: "tools_changed", cache_missed_input_tokens: 900 } } };
  const unknown = { diagnostics: { cache_miss_reason: { type: "previous_message_not_found" } } };
  const replies = [answer({ id: "msg_a" }), answer({ id: "msg_b", ...unknown }), answer({ id: "msg_c", ...changed })];
  const model = createAnthropicModel({
    model: "claude-opus-5",
    apiKey: "key",
    contextWindow: 1000,
    fetch: recordingFetch(replies, sent),
  });
  const usages = [];
  for (const id of ["one", "two", "one"]) usages.push(await usageOf(model, conversation(id)));
  expect(sent.map(({ body }) => body["diagnostics"])).toEqual([
    { previous_message_id: null },
    { previous_message_id: null },
    { previous_message_id: "msg_a" },
  ]);
  expect(sent[0]!.betas).toBe("cache-diagnosis-2026-04-07");
  expect(usages.map(({ cacheMiss }) => cacheMiss)).toEqual([undefined, undefined, "tools changed"]);
});

test("another server is not asked", async () => {
  const sent: Sent[] = [];
  const model = createAnthropicModel({
    model: "claude-opus-5-5",
    apiKey: "key",
    baseUrl: "http://localhost:1",
    contextWindow: 1000,
    fetch: recordingFetch([answer({ id: "msg_a" })], sent),
  });
  await drain(model, conversation("one"));
  expect([sent[0]!.betas, "diagnostics" in sent[0]!.body]).toEqual([null, false]);
});

test("thoughts that the API leaves out are counted", async () => {
  const dropped = { type: "thinking_dropped", message_index: 1, content_index: 0 };
  const replies = [answer({ input_transformations: [dropped, { type: "thinking_mismatch_allowed" }, dropped] })];
  const sent: Sent[] = [];
  const fetch = recordingFetch(replies, sent);
  const model = createAnthropicModel({ model: "claude-opus-5-5", apiKey: "key", contextWindow: 1000, fetch });
  expect(await usageOf(model, conversation("one"))).toMatchObject({ droppedThoughts: 2 });
  expect(sent[0]!.betas).toBe("thinking-binding-controls-2026-08-01,cache-diagnosis-2026-04-07");
});

test("and so are those of a request that is refused and repeated without them", async () => {
  const code = "invalid_encrypted_content";
  const replies = [
    wireRefusal("responses", { status: 400, code, message: "The encrypted content could not be verified." }),
    wireAnswer("responses", { text: "Hi." }),
  ];
  const sent: Sent[] = [];
  const model = createOpenAIModel({
    api: "responses",
    model: "gpt-5.1",
    apiKey: "key",
    contextWindow: 1000,
    fetch: recordingFetch(replies, sent),
  });
  const item = JSON.stringify({ type: "reasoning", id: "rs_1", summary: [], encrypted_content: "x" });
  const thought = {
    type: "thought",
    text: "",
    signature: sealSignature("openai/gpt-5.1", "reasoning-item", item),
  } as const;
  const history = ["hi", { role: "assistant", content: [thought, { type: "text", text: "Hello." }] }, "and?"] as const;
  expect(await usageOf(model, requestOf(history))).toMatchObject({ droppedThoughts: 1 });
  expect(sent.map(({ body }) => JSON.stringify(body).includes("rs_1"))).toEqual([true, false]);
});

test("a sum of calls has all dropped thoughts, and the last reason", () => {
  const call = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0 };
  const sum = [{ ...call, droppedThoughts: 2, cacheMiss: "tools changed" }, { ...call, droppedThoughts: 1 }, call];
  expect(sum.reduce<Usage>(addUsage, { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 })).toEqual({
    inputTokens: 3,
    outputTokens: 3,
    cachedInputTokens: 0,
    droppedThoughts: 3,
    cacheMiss: "tools changed",
  });
});

describe("headers that the environment sets for the SDKs", () => {
  const names = ["ANTHROPIC_CUSTOM_HEADERS", "OPENAI_CUSTOM_HEADERS"] as const;
  const before = names.map((name) => process.env[name]);
  beforeAll(() => {
    for (const name of names)
      process.env[name] = "X-Api-Key: corporate\nAuthorization: Bearer corporate\nX-Team: research";
  });
  afterAll(() => {
    for (const [at, name] of names.entries())
      if (before[at] === undefined) delete process.env[name];
      else process.env[name] = before[at];
  });

  const options = { model: "m", apiKey: "configured", contextWindow: 1000 };
  const asks: Readonly<Record<string, (fetch: typeof globalThis.fetch) => Promise<unknown>>> = {
    "Anthropic's": (fetch) => drain(createAnthropicModel({ ...options, fetch }), requestOf(["hi"])),
    "OpenAI's": (fetch) => drain(createOpenAIModel({ ...options, api: "chat", fetch }), requestOf(["hi"])),
    "OpenAI's embedding": (fetch) =>
      createOpenAIEmbedder({
        ...options,
        keyOption: "key",
        dimensions: 3,
        clock: systemClock,
        random: () => 0,
        fetch,
      }).embed(["hi"]),
  };
  const replies = {
    "Anthropic's": answer({ id: "msg_a" }).chunks.join(""),
    "OpenAI's": wireAnswer("chat", { text: "Hi." }).chunks.join(""),
    "OpenAI's embedding": JSON.stringify({ data: [{ index: 0, embedding: [1, 0, 0] }] }),
  };

  test.each(["Anthropic's", "OpenAI's", "OpenAI's embedding"] as const)(
    "are not sent by %s client, and do not replace the key",
    async (client) => {
      const sent: string[] = [];
      const isJson = replies[client].startsWith("{");
      await asks[client]!(async (_url, init) => {
        sent.push(JSON.stringify([...new Headers(init?.headers)]));
        const type = isJson ? "application/json" : "text/event-stream";
        return new Response(replies[client], { headers: { "content-type": type } });
      });
      expect(sent).toHaveLength(1);
      expect(sent[0]).toContain("configured");
      expect(sent[0]).not.toMatch(/corporate|research/u);
    },
  );
});
