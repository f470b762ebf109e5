// What a mock of the providers cannot show: streams that end cleanly too early, errors inside a stream, servers that
// leave parts of the protocol out, and answers that never come. Real SDKs over loopback.
import { createAnthropicModel } from "../../src/model/llm/anthropic/anthropic-model.ts";
import type { Model } from "../../src/model/llm/model.ts";
import { createOpenAIModel } from "../../src/model/llm/openai/openai-model.ts";
import { type StreamOptions, withRetries } from "../../src/model/llm/retry/retrying-model.ts";
import { sealSignature } from "../../src/model/llm/wire/thought-signature.ts";
import { StoreError } from "../../src/base/errors.ts";
import type { FilePart } from "../../src/base/message/file-part.ts";
import type { Message } from "../../src/base/message/message.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { drain, rejectionOf, requestOf, toolReturns } from "../support/model-events.ts";
import { namedEvents, plainEvents, type RawReply, type RawServer, startRawServer } from "../support/raw-server.ts";
import { createWireJournal } from "../support/wire-journal.ts";

type Api = "anthropic" | "responses" | "chat";

const apiKey = "sk-faults-key-123456";

const opening: Readonly<Record<Api, readonly string[]>> = {
  anthropic: namedEvents([
    { type: "message_start", message: { usage: { input_tokens: 3, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hel" } },
  ]),
  responses: namedEvents([{ type: "response.output_text.delta", delta: "Hel" }]),
  chat: plainEvents([{ choices: [{ index: 0, delta: { content: "Hel" }, finish_reason: null }] }]),
};

const unseen: Readonly<Record<Api, readonly string[]>> = {
  anthropic: namedEvents([{ type: "news" }, { type: "news" }, { type: "news" }]),
  responses: namedEvents([{ type: "news" }, { type: "news" }, { type: "news" }]),
  chat: plainEvents([{ choices: [] }, { choices: [] }, { choices: [] }]),
};

/** What keeps a connection alive: the SDKs yield nothing for it. */
const comments = Array.from({ length: 10 }, () => ": PROCESSING\n\n");
const keptAlive: Readonly<Record<Api, readonly string[]>> = {
  anthropic: namedEvents(comments.map(() => ({ type: "ping" }))),
  responses: comments,
  chat: comments,
};

const errorInStream: Readonly<Record<Api, readonly string[]>> = {
  anthropic: namedEvents([{ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }]),
  responses: namedEvents([
    { type: "response.failed", response: { error: { code: "server_error", message: "Overloaded" } } },
  ]),
  chat: plainEvents([{ error: { code: 502, message: "Overloaded" } }]),
};

const maxReplyBytes = 100_000;

function modelOf(api: Api, url: string, fetchWith: typeof fetch = fetch): Model {
  const inputs = ["image"] as const;
  const options = { model: "test-model", inputs, apiKey, contextWindow: 1000, fetch: fetchWith, maxReplyBytes };
  if (api === "anthropic") return createAnthropicModel({ ...options, baseUrl: url });
  return createOpenAIModel({ ...options, api, baseUrl: `${url}/v1` });
}

async function failureOf(api: Api, ...replies: RawReply[]): Promise<unknown> {
  await using server = await startRawServer(replies);
  return await rejectionOf(drain(modelOf(api, server.url), requestOf(["hello"])));
}

describe.each<Api>(["anthropic", "responses", "chat"])("%s", (api) => {
  it("treats a stream that ends cleanly but too early as broken", async () => {
    const error = await failureOf(api, { chunks: opening[api] });
    expect(error).toMatchObject({ code: "model_protocol", retryable: true });
  });

  it("treats a stream whose connection is lost as broken", async () => {
    const error = await failureOf(api, { chunks: opening[api], ending: "destroy" });
    expect(error).toMatchObject({ code: "model_protocol", retryable: true });
  });

  it("treats invalid JSON as a broken stream, and does not quote the model's text", async () => {
    const error = await failureOf(api, { chunks: [...opening[api], 'event: x\ndata: {"secret words": nope}\n\n'] });
    expect(error).toMatchObject({ code: "model_protocol" });
    expect((error as Error).message).not.toMatch(/secret|nope/);
  });

  it("reports an overload inside the stream as an overload", async () => {
    const overloaded = { chunks: [...opening[api], ...errorInStream[api]] };
    expect(await failureOf(api, overloaded)).toMatchObject({ code: "model_unavailable", retryable: true });
  });

  it("treats a web page as a broken answer", async () => {
    const page = { headers: { "content-type": "text/html" }, chunks: ["<html>Please log in</html>"] };
    expect(await failureOf(api, page)).toMatchObject({ code: "model_protocol" });
  });

  it("does not show the page of a failing gateway", async () => {
    const error = await failureOf(api, {
      status: 502,
      headers: { "content-type": "text/html" },
      chunks: ["<html>Bad"],
    });
    expect(error).toMatchObject({ code: "model_unavailable", status: 502 });
    expect((error as Error).message).not.toContain("<html>");
  });

  it("never shows a key that the provider repeats, not even in the cause", async () => {
    const body = JSON.stringify({ error: { message: `Incorrect key: ${apiKey}`, type: "authentication_error" } });
    const error = await failureOf(api, {
      status: 401,
      headers: { "content-type": "application/json" },
      chunks: [body],
    });
    expect(error).toMatchObject({ code: "model_auth" });
    expect((error as Error).message).toContain("Incorrect key: [key]");
    expect((error as Error).cause).toBeUndefined();
  });

  it("closes a connection that stalls", async () => {
    await using server = await startRawServer([{ chunks: opening[api], ending: "hang" }]);
    const clock = createManualClock();
    const model = withRetries(modelOf(api, server.url), { clock, random: () => 0, maxAttempts: 1, stallMs: 5000 });
    const events = model.stream(requestOf(["hello"]), {})[Symbol.asyncIterator]();
    let first = await events.next();
    if (first.value?.type === "usage") first = await events.next();
    expect(first.value).toEqual({ type: "text-delta", text: "Hel" });
    const next = rejectionOf(events.next() as Promise<unknown>);
    await clock.advance(5000);
    expect(await next).toMatchObject({ code: "model_timeout", retryable: true });
    await closed(server);
  });

  it.each<[string, readonly string[]]>([
    ["one line", Array.from({ length: 20 }, (_none, at) => (at === 0 ? "data: " : "x".repeat(10_000)))],
    ["many events", Array.from({ length: 20 }, () => [...unseen[api], `: ${"x".repeat(10_000)}\n\n`].join(""))],
  ])("stops a reply that exceeds the limit, in %s", async (_title, chunks) => {
    await using server = await startRawServer([{ chunks: [...opening[api], ...chunks], ending: "hang" }]);
    const error = await rejectionOf(drain(modelOf(api, server.url), requestOf(["hello"])));
    expect(error).toMatchObject({ code: "model_reply_limit", retryable: false });
    expect((error as Error).message).toMatch(/^The server at .* sent more than 0\.1 MB .*maxReplyMegabytes/);
    await closed(server);
  });

  it("reads no more than a megabyte of a refusal", async () => {
    const chunks = Array.from({ length: 30 }, () => "x".repeat(100_000));
    await using server = await startRawServer([{ status: 400, chunks, ending: "hang" }]);
    const error = await rejectionOf(drain(modelOf(api, server.url), requestOf(["hello"])));
    expect(error).toMatchObject({ code: "model_request", status: 400 });
    await closed(server);
  });

  it("throws the reason of an abort while the provider is silent", async () => {
    await using server = await startRawServer([{ chunks: [], ending: "silent" }]);
    const controller = new AbortController();
    const journal = createWireJournal();
    const waiting = drain(modelOf(api, server.url, journal.fetch), requestOf(["hello"]), controller.signal);
    const outcome = rejectionOf(waiting);
    while (journal.bodies.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const reason = new Error("enough");
    controller.abort(reason);
    expect(await outcome).toBe(reason);
    await closed(server);
  });

  it.each([
    ["events that are unknown", unseen],
    ["pings and comments", keptAlive],
  ])("reports activity for every chunk, also for %s", async (_case, chunks) => {
    const encoder = new TextEncoder();
    const body = new ReadableStream({
      start: (controller) =>
        [...chunks[api], ...opening[api]].forEach((one) => controller.enqueue(encoder.encode(one))),
    });
    const response = new Response(body, { headers: { "content-type": "text/event-stream" } });
    let signs = 0;
    const options: StreamOptions = { onActivity: () => (signs += 1) };
    const reading = modelOf(api, "http://127.0.0.1:9", () => Promise.resolve(response))
      .stream(requestOf(["hello"]), options)
      [Symbol.asyncIterator]();
    await reading.next();
    expect(signs).toBeGreaterThan(chunks[api].length);
    await reading.return?.();
  });

  it("closes the connection when the reader leaves", async () => {
    await using server = await startRawServer([{ chunks: opening[api], ending: "hang" }]);
    for await (const event of modelOf(api, server.url).stream(requestOf(["hello"]), {})) {
      if (event.type === "text-delta") break;
    }
    await closed(server);
  });
});

describe("refused thoughts", () => {
  const refusals: Readonly<Record<"anthropic" | "responses", object>> = {
    anthropic: {
      type: "error",
      error: {
        type: "invalid_request_error",
        message: "messages.1.content.0: Invalid `signature` in `thinking` block",
      },
    },
    responses: {
      error: { message: "The encrypted content could not be verified.", code: "invalid_encrypted_content" },
    },
  };

  it.each(["anthropic", "responses"] as const)("%s: sends the request again without them", async (api) => {
    const kept =
      api === "anthropic"
        ? "c2ln"
        : JSON.stringify({ type: "reasoning", id: "rs_1", summary: [], encrypted_content: "c2ln" });
    const name = modelOf(api, "http://127.0.0.1").name;
    const signature = sealSignature(name, api === "anthropic" ? "thinking" : "reasoning-item", kept);
    const thinker: Message = {
      role: "assistant",
      content: [
        { type: "thought", text: "Hm.", signature },
        { type: "tool-call", callId: "call_1", name: "get_weather", arguments: "{}" },
      ],
    };
    const refusal = JSON.stringify(refusals[api]);
    await using server = await startRawServer([
      { status: 400, headers: { "content-type": "application/json" }, chunks: [refusal] },
      { chunks: wholeAnswer[api] },
    ]);
    const journal = createWireJournal();
    const events = await drain(
      modelOf(api, server.url, journal.fetch),
      requestOf(["hello", thinker, toolReturns("call_1", "rain")]),
    );
    expect(events.at(-1)).toMatchObject({ type: "end", stopReason: "end" });
    expect(journal.bodies.map((body) => JSON.stringify(body).includes("c2ln"))).toEqual([true, false]);
  });

  it.each([
    [
      "claude-opus-5-5",
      { type: "adaptive", display: "summarized", block_binding: { prefix_mismatch_behavior: "drop_block" } },
    ],
    ["claude-opus-5", { type: "adaptive", display: "summarized" }],
  ])("%s at Anthropic's own address: thinking %j", async (model, thinking) => {
    await using server = await startRawServer([{ chunks: wholeAnswer.anthropic }]);
    const sent: { readonly beta: string | null; readonly body: unknown }[] = [];
    const record: typeof fetch = (_address, init = {}) => {
      sent.push({ beta: new Headers(init.headers).get("anthropic-beta"), body: JSON.parse(init.body as string) });
      return fetch(server.url, init);
    };
    const claude = createAnthropicModel({ model, apiKey, contextWindow: 1000, fetch: record });
    expect((await drain(claude, requestOf(["hello"]))).at(-1)).toMatchObject({ type: "end" });
    expect(sent).toHaveLength(1);
    expect(sent[0]!.body).toMatchObject({ model });
    expect(sent[0]!.body).toHaveProperty("thinking", thinking);
    expect(sent[0]!.beta?.includes("thinking-binding-controls-2026-08-01") ?? false).toBe("block_binding" in thinking);
  });
});

describe.each<Api>(["anthropic", "responses", "chat"])("%s: files", (api) => {
  const file = { type: "file", kind: "image", mediaType: "image/png", bytes: 3 } as const;
  const stored: FilePart = { ...file, name: "stored.png", location: { type: "attachment", id: "1" } };
  const linked: FilePart = {
    ...file,
    name: "linked.png",
    location: { type: "url", url: "https://example.com/i?sig=s" },
  };
  const text: FilePart = { ...stored, kind: "document", mediaType: "text/plain", name: "notes.txt" };
  const looks: Message = { role: "user", content: [{ type: "text", text: "Look." }, stored, linked, text] };
  const loadFile = async (): Promise<Uint8Array> => new TextEncoder().encode("abc");
  const refusalOf = (message: string, code = "invalid_request_error"): RawReply => ({
    status: 400,
    headers: { "content-type": "application/json" },
    chunks: [JSON.stringify({ type: "error", error: { type: code, code, message } })],
  });

  it("throws the store's own error if a file cannot be loaded", async () => {
    const error = new StoreError("store_failed", "The disk is gone.");
    const request = requestOf([looks], { loadFile: () => Promise.reject(error) });
    expect(await rejectionOf(drain(modelOf(api, "http://127.0.0.1:9"), request))).toBe(error);
  });

  it.each([
    ["Could not process image", undefined],
    ["Timeout while downloading https://example.com/i", undefined],
    ["No.", "invalid_image_url"],
  ])("are left out if the provider refuses one: %s %s", async (message, code) => {
    await using server = await startRawServer([refusalOf(message, code), { chunks: wholeAnswer[api] }]);
    const journal = createWireJournal();
    const events = await drain(modelOf(api, server.url, journal.fetch), requestOf([looks], { loadFile }));
    expect(events.at(-1)).toMatchObject({ type: "end", stopReason: "end" });
    const [first, second, ...others] = journal.bodies.map((body) => JSON.stringify(body));
    expect(others).toEqual([]);
    expect(first).toMatch(/YWJj.*sig=s|sig=s.*YWJj/);
    expect(second).not.toMatch(/YWJj|sig=s/);
    expect(second).toMatch(
      /\[image stored\.png, 3 B: left out: [^\]]*refused .*\[image linked\.png, 3 B: left out: .*abc/,
    );
  });

  it("are left out once: the second refusal is the failure", async () => {
    await using server = await startRawServer([refusalOf("Could not process image")]);
    const error = await rejectionOf(drain(modelOf(api, server.url), requestOf([looks], { loadFile })));
    expect(error).toMatchObject({ code: "model_request", status: 400 });
    expect(server.requests()).toBe(2);
  });

  it.each([
    ["another refusal", refusalOf("temperature is not supported"), "model_request"],
    [
      "a request that is too long",
      refusalOf("prompt is too long: 9 tokens > 8 maximum, with 2 images"),
      "context_overflow",
    ],
  ])("stay in the request after %s", async (_title, refusal, code) => {
    await using server = await startRawServer([refusal]);
    const error = await rejectionOf(drain(modelOf(api, server.url), requestOf([looks], { loadFile })));
    expect(error).toMatchObject({ code });
    expect(server.requests()).toBe(1);
  });
});

const wholeAnswer: Readonly<Record<Api, readonly string[]>> = {
  anthropic: [
    ...opening.anthropic,
    ...namedEvents([{ type: "content_block_stop", index: 0 }, { type: "message_stop" }]),
  ],
  responses: [
    ...opening.responses,
    ...namedEvents([{ type: "response.completed", response: { status: "completed" } }]),
  ],
  chat: [...opening.chat, ...plainEvents(["[DONE]"])],
};

describe("servers with deviations from Chat Completions", () => {
  async function replyTo(chunks: readonly unknown[]): Promise<readonly unknown[]> {
    await using server = await startRawServer([{ chunks: plainEvents(chunks) }]);
    return await drain(modelOf("chat", server.url), requestOf(["hello"]));
  }

  it("accepts an answer without usage and finish reason if it ends with [DONE]", async () => {
    const events = await replyTo([{ choices: [{ delta: { content: "Hello" } }] }, "[DONE]"]);
    expect(events).toEqual([
      { type: "text-delta", text: "Hello" },
      { type: "end", stopReason: "end", usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 } },
    ]);
  });

  it("accepts an answer without [DONE] if it has a finish reason", async () => {
    const events = await replyTo([{ choices: [{ delta: { content: "Hello" }, finish_reason: "stop" }] }]);
    expect(events.at(-1)).toMatchObject({ type: "end", stopReason: "end" });
  });

  it("does not treat a [DONE] in the model's text as the end of the stream", async () => {
    const chunks = plainEvents([{ choices: [{ delta: { content: "data: [DONE]" } }] }]);
    expect(await failureOf("chat", { chunks })).toMatchObject({ code: "model_protocol" });
  });

  it("assigns ids to complete calls without ids, and stops for tool calls whatever the finish reason", async () => {
    const call = (city: string): object => ({ function: { name: "get_weather", arguments: `{"city":"${city}"}` } });
    const events = await replyTo([
      { choices: [{ delta: { tool_calls: [call("Oslo"), call("Bergen")] }, finish_reason: "stop" }] },
      "[DONE]",
    ]);
    const calls = events.slice(0, 2) as readonly { readonly callId: string; readonly arguments: string }[];
    expect(calls.map((told) => told.arguments)).toEqual(['{"city":"Oslo"}', '{"city":"Bergen"}']);
    expect(new Set(calls.map((told) => told.callId)).size).toBe(2);
    expect(calls[0]?.callId).toMatch(/^call_[0-9a-f]{32}$/);
    expect(events.at(-1)).toMatchObject({ stopReason: "tool-calls" });
  });
});

async function closed(server: RawServer): Promise<void> {
  while (server.abandoned() === 0) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe("notices of the SDK", () => {
  it.each(["claude-sonnet-4-5", "claude-opus-4-6"])("does not write notices about %s to the console", async (model) => {
    await using server = await startRawServer([{ chunks: [...opening.anthropic], ending: "close" }]);
    const written: unknown[] = [];
    const { warn } = console;
    console.warn = (...words: unknown[]) => void written.push(...words);
    try {
      const options = { model, apiKey, contextWindow: 1000, baseUrl: server.url };
      await rejectionOf(drain(createAnthropicModel(options), requestOf(["hello"], { effort: "low" })));
    } finally {
      console.warn = warn;
    }
    expect(written).toEqual([]);
  });
});
