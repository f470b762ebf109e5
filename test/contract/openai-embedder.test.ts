// The adapter for OpenAI's embeddings API with the real SDK over loopback: what is sent, what is taken, what fails how.
import { LLMock } from "@copilotkit/aimock";
import type { Embedder } from "../../src/model/embedding/embedder.ts";
import { createOpenAIEmbedder, type OpenAIEmbedderOptions } from "../../src/model/embedding/openai/openai-embedder.ts";
import { createTokenCounter } from "../../src/model/tokens/create-token-counter.ts";
import {
  type EmbeddingReply,
  type EmbeddingServer,
  refusal,
  startEmbeddingServer,
} from "../support/embedding-server.ts";
import { createHurriedClock } from "../support/manual-clock.ts";

const apiKey = "sk-embedding-key-123456";

let server: EmbeddingServer;
let clock: ReturnType<typeof createHurriedClock>;

beforeEach(async () => {
  server = await startEmbeddingServer(8);
  clock = createHurriedClock();
});

afterEach(() => server[Symbol.asyncDispose]());

function open(changes: Partial<OpenAIEmbedderOptions> = {}): Embedder {
  const wire = { apiKey, keyOption: "embeddingApiKey", baseUrl: server.url, clock, random: () => 0.5 };
  const known = (changes.model ?? "tiny").startsWith("text-embedding");
  return createOpenAIEmbedder({ model: "tiny", ...(known ? {} : { dimensions: 8 }), ...wire, ...changes });
}

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "no failure",
    (error: unknown) => error,
  );

/** What comes of a text when every request is answered so. */
function failureWith(reply: EmbeddingReply): Promise<unknown> {
  server.answer = () => reply;
  return failureOf(open().embed(["text"]));
}

describe("the request", () => {
  it("contains the model, the number format and the key", async () => {
    await open().embed(["one", "two"]);
    expect(server.requests).toEqual([{ model: "tiny", input: ["one", "two"], encoding_format: "float" }]);
    expect(server.keys).toEqual([`Bearer ${apiKey}`]);
  });

  it("contains a width only if the name contains one", async () => {
    const embedder = open({ model: "text-embedding-3-small@256" });
    const [vector] = await embedder.embed(["one"]);
    expect(embedder).toMatchObject({ name: "openai/text-embedding-3-small@256", dimensions: 256 });
    expect(vector).toHaveLength(256);
    expect(server.requests).toMatchObject([{ model: "text-embedding-3-small", dimensions: 256 }]);
  });

  it("is not sent for no text and for blank texts, which have no vector", async () => {
    expect(await open().embed([])).toEqual([]);
    expect(await open().embed(["", " \n\t", "\u3000"])).toEqual([null, null, null]);
    expect(server.requests).toEqual([]);
    const [blank, other] = await open().embed([" ", "one"]);
    expect([blank, other?.length]).toEqual([null, 8]);
  });

  it.each([
    ["a lone surrogate, replaced", "a\ud800b", "a\ufffdb"],
    ["NUL, replaced", "a\u0000b", "a\ufffdb"],
    ["markup, wildcards and an emoji", "</human> %_ 😀 日本語", "</human> %_ 😀 日本語"],
  ])("accepts %s", async (_title, text, sent) => {
    expect(await open().embed([text])).toHaveLength(1);
    expect(server.requests[0]?.input).toEqual([sent]);
  });

  it.each([
    ["a".repeat(1_000_000), 8192],
    ["日本語".repeat(100_000), 8192],
    ["many words of one text ".repeat(5000), 8192],
    ["\ud83d\ude00".repeat(50_000), 8192],
  ])("clips a text that is longer than the window (%#)", async (text, window) => {
    const embedder = open({ model: "text-embedding-3-small@8" });
    expect(embedder.windowTokens).toBe(window);
    await embedder.embed([text]);
    const sent = server.requests[0]?.input[0] ?? "";
    const tokens = createTokenCounter("openai/gpt-3.5-turbo").count(sent);
    expect(text.startsWith(sent)).toBe(true);
    expect(tokens).toBeLessThanOrEqual(window);
    expect(tokens).toBeGreaterThan(window * 0.9);
  });

  it("has at most 2,048 texts and 300,000 tokens", async () => {
    const embedder = open({ model: "text-embedding-3-small@8" });
    await embedder.embed(Array.from({ length: 3000 }, (_, index) => `text ${index}`));
    expect(server.requests.map(({ input }) => input.length)).toEqual([2048, 952]);
    const long = "word ".repeat(8000);
    expect(await embedder.embed(Array.from({ length: 50 }, () => long))).toHaveLength(50);
    expect(server.requests.slice(2).map(({ input }) => input.length)).toEqual([37, 13]);
  });
});

describe("the result", () => {
  it("is one unit vector per text, in the order of the texts, whatever the order of the answer", async () => {
    const vector = (index: number, place: number) => ({
      index,
      embedding: Array.from({ length: 8 }, (_, at) => (at === place ? 3 : 0)),
    });
    server.answer = () => ({ body: { data: [vector(1, 7), vector(0, 2)] } });
    const [first, second] = await open().embed(["a", "b"]);
    expect([first?.indexOf(1), second?.indexOf(1)]).toEqual([2, 7]);
  });

  it.each<[string, EmbeddingReply, string, RegExp]>([
    [
      "another width",
      { body: { data: [{ index: 0, embedding: [1, 0, 0] }] } },
      "embedding_dimensions_mismatch",
      /got 3.*to 3\./,
    ],
    ["too few vectors", { body: { data: [] } }, "embedding_failed", /Expected 1 vectors.*got 0/],
    ["too many vectors", { body: { data: [{}, {}] } }, "embedding_failed", /got 2/],
    [
      "NaN, which JSON has as null",
      { body: data(Array(8).fill(null)) },
      "embedding_failed",
      /finite numbers that are not all 0/,
    ],
    ["a vector of zeros", { body: data(Array(8).fill(0)) }, "embedding_failed", /finite numbers that are not all 0/],
    [
      "numbers out of range",
      { body: data(Array(8).fill(1e200)) },
      "embedding_failed",
      /finite numbers that are not all 0/,
    ],
    ["a vector that is a text", { body: data("AAAA") }, "embedding_failed", /got a value that is not an array/],
    [
      "places that are taken twice",
      { body: { data: [{ index: 1 }] } },
      "embedding_failed",
      /got a value that is not an array/,
    ],
    ["an answer without vectors", { body: { object: "list" } }, "embedding_failed", /without a list/],
    ["a web page", { body: "<html>Log in</html>" }, "embedding_failed", /without a list/],
  ])("is not %s", async (_title, reply, code, message) => {
    const error = await failureWith(reply);
    expect(error).toMatchObject({ name: "EmbeddingError", code, message: expect.stringMatching(message) });
    expect((error as Error).message).not.toContain("<html>");
  });
});

function data(embedding: unknown): { readonly data: readonly object[] } {
  return { data: [{ index: 0, embedding }] };
}

describe("a failing server", () => {
  it.each<[string, EmbeddingReply]>([
    ["429", refusal(429, "slow down")],
    ["500", refusal(500, "broken")],
    ["503", refusal(503, "overloaded")],
    ["a cut answer", { body: { data: [] }, ending: "cut" }],
  ])("is called again after %s", async (_title, reply) => {
    server.answer = (_request, count) => (count === 1 ? reply : undefined);
    expect(await open().embed(["text"])).toHaveLength(1);
    expect(server.requests).toHaveLength(2);
    expect(clock.waits).toEqual([125]);
  });

  it("is retried after the requested delay, or not at all if that is too long", async () => {
    server.answer = (_request, count) => (count === 1 ? refusal(429, "slow down", { "retry-after": "3" }) : undefined);
    await open().embed(["text"]);
    expect(clock.waits).toEqual([3000]);
    expect(await failureWith(refusal(429, "slow down", { "retry-after": "30" }))).toMatchObject({
      code: "embedder_unavailable",
    });
    expect(server.requests).toHaveLength(3);
  });

  it.each<[string, EmbeddingReply, string, number]>([
    ["429", refusal(429, "slow down"), "embedder_unavailable", 3],
    ["a used up quota", { status: 429, body: { error: { code: "insufficient_quota" } } }, "embedder_unavailable", 1],
    ["401", refusal(401, `Incorrect key: ${apiKey}`), "embedder_unavailable", 1],
    ["404", refusal(404, "no such model"), "embedder_unavailable", 1],
    ["408", refusal(408, "too slow"), "embedder_unavailable", 3],
    ["400", refusal(400, "input is not valid"), "embedding_failed", 1],
    ["500", refusal(500, "broken"), "embedding_failed", 3],
    ["cut answers", { body: { data: [] }, ending: "cut" }, "embedding_failed", 3],
  ])("that keeps returning %s is an EmbeddingError", async (_title, reply, code, requests) => {
    const error = await failureWith(reply);
    expect(error).toMatchObject({ name: "EmbeddingError", code });
    expect((error as Error).message).not.toContain(apiKey);
    expect(server.requests).toHaveLength(requests);
  });

  it("that refuses the key says which option holds it", async () => {
    expect(await failureWith(refusal(401, "no"))).toMatchObject({
      message: expect.stringContaining("`embeddingApiKey`"),
    });
  });

  it("that cannot be reached is an EmbeddingError", async () => {
    const embedder = open({ baseUrl: "http://127.0.0.1:1/v1" });
    expect(await failureOf(embedder.embed(["text"]))).toMatchObject({
      code: "embedding_failed",
      message: expect.stringContaining("127.0.0.1:1"),
    });
  });

  it("is abandoned at once on an abort, with its reason", async () => {
    const reason = new RangeError("enough");
    await expect(open().embed(["text"], { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(server.requests).toHaveLength(0);
    server.answer = () => ({ ending: "silent" });
    const abort = new AbortController();
    const failure = failureOf(open().embed(["text"], { signal: abort.signal }));
    while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    abort.abort(reason);
    expect(await failure).toBe(reason);
  });

  it("that refuses a text as too long gets a shorter one", async () => {
    server.answer = ({ input }) =>
      (input[0]?.length ?? 0) > 100 ? refusal(400, "maximum context length is 8 tokens") : undefined;
    const text = "0123456789".repeat(50);
    expect(await open().embed([text])).toHaveLength(1);
    expect(server.requests.map(({ input }) => input[0]?.length)).toEqual([500, 250, 125, 62]);
  });

  it("that refuses every text as too long is not called forever", async () => {
    expect(await failureWith(refusal(413, "too long"))).toMatchObject({ code: "embedding_failed" });
    expect(server.requests.map(({ input }) => input[0]?.length)).toEqual([4, 2, 1]);
  });
});

describe("the width", () => {
  it.each([
    ["text-embedding-3-small", undefined, 1536, 0.3],
    ["text-embedding-3-large", undefined, 3072, 0.3],
    ["text-embedding-3-large@512", undefined, 512, 0.3],
    ["text-embedding-ada-002", undefined, 1536, 0.8],
    ["nomic-embed-text:latest", undefined, 768, undefined],
    ["sentence-transformers/all-MiniLM-L6-v2", undefined, 384, undefined],
    ["something-of-my-own", 100, 100, undefined],
    ["something-of-my-own@64", undefined, 64, undefined],
    ["text-embedding-nomic-embed-text-v1.5@q8_0", undefined, 768, undefined],
  ])("of %s is known before the first call", (model, dimensions, expected, similarityFloor) => {
    expect(open({ model, dimensions })).toMatchObject({ name: `openai/${model}`, dimensions: expected });
    expect(open({ model, dimensions }).similarityFloor).toBe(similarityFloor);
    expect(server.requests).toHaveLength(0);
  });

  it.each([
    ["something-of-my-own", undefined, /embeddingDimensions.*got none/],
    ["text-embedding-3-small", 512, /expected 1536.*got 512.*text-embedding-3-small@512/],
    ["text-embedding-3-small@2000", undefined, /N from 1 to 1536, got 2000/],
    ["text-embedding-3-small@0", undefined, /got 0/],
    ["text-embedding-ada-002@512", undefined, /only vectors of 1536 dimensions/],
    ["something-of-my-own@9999999", undefined, /from 1 to 4000/],
  ])("of %s with %s configured is a ConfigError", (model, dimensions, message) => {
    expect(() => open({ model, dimensions })).toThrow(
      expect.objectContaining({ code: "config_invalid", message: expect.stringMatching(message) }),
    );
  });

  it("counts tokens as OpenAI's models do, and estimates for others", () => {
    expect(open({ model: "text-embedding-3-small" }).countTokens?.("Hello, world!")).toBe(4);
    expect(open().countTokens?.("Hello, world!")).toBeGreaterThan(0);
  });
});

test("works with a mock of OpenAI", async () => {
  const mock = new LLMock({ logLevel: "silent", auth: { apiKeys: [apiKey] } });
  await mock.start();
  try {
    const embedder = open({ model: "text-embedding-3-small", baseUrl: `${mock.url}/v1` });
    const vectors = await embedder.embed(["one", "two"]);
    expect(vectors.map((vector) => Math.hypot(...(vector ?? [])).toFixed(6))).toEqual(["1.000000", "1.000000"]);
    expect(await failureOf(open({ apiKey: "sk-wrong", baseUrl: `${mock.url}/v1` }).embed(["x"]))).toMatchObject({
      code: "embedder_unavailable",
    });
  } finally {
    await mock.stop();
  }
});
