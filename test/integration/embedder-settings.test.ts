// From settings to an embedder that works: which server is asked, with which key, and what is remembered.
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRuntime } from "../../src/runtime/compose/compose.ts";
import { type EmbedderConfig, openEmbedder } from "../../src/runtime/compose/open-embedder.ts";
import { openEmbedders } from "../../src/runtime/compose/open-embedders.ts";
import { configDefaults } from "../../src/config/settings.ts";
import { samplePairs } from "../../src/model/embedding/centred-embedder.ts";
import type { Embedder, GuardedEmbedder } from "../../src/model/embedding/embedder.ts";
import { type EmbeddingServer, refusal, startEmbeddingServer } from "../support/embedding-server.ts";
import { createHurriedClock } from "../support/manual-clock.ts";

let server: EmbeddingServer;

beforeEach(async () => (server = await startEmbeddingServer(8)));

afterEach(() => server[Symbol.asyncDispose]());

async function open(changes: Partial<EmbedderConfig>, own?: Embedder): Promise<GuardedEmbedder> {
  const base = { ...configDefaults, embedding: "openai/tiny", embeddingDimensions: 8, openaiApiKey: null };
  // Vectors are not centred.
  const floor = { embeddingFloor: 0.35 };
  const config = { ...base, ...floor, baseUrl: null, embeddingBaseUrl: server.url, ...changes };
  const embedder = await openEmbedder(config, { own, clock: createHurriedClock(5000), log: () => undefined });
  if (embedder === null) throw new Error("no embedder");
  return embedder;
}

describe("the key", () => {
  it.each<[string, Partial<EmbedderConfig>, string]>([
    ["is that of the embeddings", { embeddingApiKey: "own", openaiApiKey: "other" }, "own"],
    ["is not OpenAI's for another server", { openaiApiKey: "openai" }, "none"],
    ["is none where there is none", {}, "none"],
  ])("%s", async (_title, changes, key) => {
    await (await open(changes)).embed(["text"]);
    expect(server.keys).toEqual([`Bearer ${key}`]);
  });

  it("is that of the models if their server is the same", async () => {
    await (await open({ openaiApiKey: "models", baseUrl: server.url })).embed(["text"]);
    expect(server.keys).toEqual(["Bearer models"]);
  });

  it.each<[Partial<EmbedderConfig>, RegExp]>([
    [{ embeddingBaseUrl: null }, /openai\/tiny needs a key: set `openaiApiKey`/],
    [{ embeddingBaseUrl: null, openaiApiKey: "x", baseUrl: "http://localhost/v1" }, /set `embeddingBaseUrl`/],
    [{ embeddingDimensions: null }, /for openai\/tiny, a model with unknown dimensions/],
  ])("is required before anything is sent: %j", async (changes, message) => {
    await expect(open(changes)).rejects.toMatchObject({
      code: "config_invalid",
      message: expect.stringMatching(message),
    });
    expect(server.requests).toEqual([]);
  });
});

test("a runtime whose embedder lacks its key opens no store", async () => {
  const dataDir = join(tmpdir(), `palimpsest-never-${process.pid}`);
  const failure = createRuntime({ dataDir, embedding: "openai/tiny" });
  await expect(failure).rejects.toMatchObject({ code: "config_invalid" });
  expect(existsSync(dataDir)).toBe(false);
});

describe("the embedder of the settings", () => {
  it("caches vectors, unless this is disabled", async () => {
    const remembering = await open({});
    await remembering.embed(["one"]);
    await remembering.embed(["one"]);
    expect(server.requests).toHaveLength(1);
    const forgetful = await open({ embeddingCache: 0 });
    await forgetful.embed(["one"]);
    await forgetful.embed(["one"]);
    expect(server.requests).toHaveLength(3);
  });

  it("prefixes a text with the model's known prefix, or with that of the settings", async () => {
    const known = await open({ embedding: "openai/e5-small" });
    await known.embed(["tea", " "]);
    await known.embed(["tea"], { isQuery: true });
    const set = await open({ embeddingQueryPrefix: "Q: ", embeddingPassagePrefix: "P: " });
    await set.embed(["tea"]);
    await set.embed(["tea"], { isQuery: true });
    const sent = server.requests.map(({ input }) => input);
    expect(sent).toEqual([["passage: tea"], ["query: tea"], ["P: tea"], ["Q: tea"]]);
    expect([known.name, set.name]).toEqual(["openai/e5-small", "openai/tiny|P: "]);
  });

  it("is centred by a sample with its prefixes, unless the floor is set or known", async () => {
    const unknown = { embedding: "openai/e5-small", embeddingFloor: null };
    const centred = await open(unknown);
    await centred.embed(["tea"]);
    await centred.embed(["coffee"], { isQuery: true });
    const sent = server.requests.map(({ input }) => [input.length, input[0]?.split(" ")[0]]);
    const sample = samplePairs.length;
    expect(sent).toEqual([
      [sample, "query:"],
      [sample, "passage:"],
      [1, "passage:"],
      [1, "query:"],
    ]);
    const known = { embedding: "openai/text-embedding-3-small", embeddingDimensions: null, embeddingFloor: null };
    const others = [{ ...unknown, embeddingFloor: 0.5 }, known, { ...unknown, isStoredName: true }];
    const names = await Promise.all([unknown, ...others].map(async (changes) => (await open(changes)).name));
    const own = "openai/e5-small";
    expect(names).toEqual([`${own}|centred`, own, "openai/text-embedding-3-small", own]);
  });

  it("is opened again by the name of centred vectors", async () => {
    const { name } = await open({ embeddingFloor: null });
    expect(name).toBe("openai/tiny|centred");
    const again = await open({ embedding: name, isStoredName: true });
    expect(again.name).toBe(name);
    await again.embed(["tea"]);
    expect(server.requests.at(-1)?.model).toBe("tiny");
  });

  it("is found by the name of its vectors, centred or not, and chosen by that of its model", async () => {
    const base = { ...configDefaults, embedding: "openai/tiny", embeddingDimensions: 8, openaiApiKey: null };
    const config = { ...base, baseUrl: null, embeddingBaseUrl: server.url };
    const deps = { own: undefined, further: [], clock: createHurriedClock(5000), log: () => undefined };
    const embedders = await openEmbedders(config, deps);
    const centred = await embedders.open("openai/tiny");
    const other = await embedders.open("openai/other", 8);
    const find = (embedder: string) => embedders.find({ embedder, dimensions: 8 });
    const stored = await find("openai/tiny");
    expect([centred.embedder.name, other.embedder.name]).toEqual(["openai/tiny|centred", "openai/other|centred"]);
    expect(stored?.embedder.name).toBe("openai/tiny");
    expect(await find("openai/tiny|centred")).toBe(centred);
    expect(centred).toBe(embedders.default);
    expect(await find("openai/other|centred")).toBe(other);
    await embedders.close();
  });

  it("finds a text that makes its server fail, with the prefix of a query", async () => {
    server.answer = ({ input }) => (input.includes("query: poison") ? refusal(400, "no") : undefined);
    const embedder = await open({ embedding: "openai/e5-small" });
    const [one, two] = await embedder.embed(["poison", "text"], { isQuery: true });
    expect([one, two?.length]).toEqual([null, 8]);
    expect(await embedder.embed(["poison"])).toHaveLength(1);
  });

  it("has the floor and the window of the settings", async () => {
    const changed = await open({ embeddingFloor: 0.6, embeddingWindow: 100 });
    expect(changed).toMatchObject({ windowTokens: 100 });
    expect(await changed.similarity()).toEqual({ floor: 0.6, weight: 1 });
    await changed.embed(["word ".repeat(1000)]);
    expect(changed.countTokens(server.requests[0]?.input[0] ?? "")).toBeLessThanOrEqual(100);
  });

  it.each([400, 500])("is not down if its server answers one of 32 texts with %i", async (status) => {
    server.answer = ({ input }) =>
      input.some((text) => text.includes("poison")) ? refusal(status, "cannot embed that") : undefined;
    const embedder = await open({});
    const texts = Array.from({ length: 32 }, (_, index) => (index === 20 ? "poison" : `text ${index}`));
    for (let time = 0; time < 4; time += 1) {
      const vectors = await embedder.embed(texts);
      expect(vectors.flatMap((vector, index) => (vector === null ? [index] : []))).toEqual([20]);
    }
    expect(embedder.pauseMs()).toBe(0);
  });

  it("is not down if its server returns NaN for a text", async () => {
    server.answer = ({ input }) =>
      input.includes("poison")
        ? { body: { data: input.map((_, index) => ({ index, embedding: Array(8).fill(null) })) } }
        : undefined;
    const [one, two] = await (await open({})).embed(["poison", "text"]);
    expect([one, two?.length]).toEqual([null, 8]);
  });

  it("is down, with an open circuit, if its server refuses all texts", async () => {
    server.answer = () => refusal(400, "unknown parameter");
    const embedder = await open({});
    for (let time = 0; time < 3; time += 1) {
      await expect(embedder.embed(["text"])).rejects.toMatchObject({ code: "embedder_unavailable" });
    }
    expect(embedder.pauseMs()).toBeGreaterThan(0);
    const count = server.requests.length;
    await expect(embedder.embed(["text"])).rejects.toMatchObject({ code: "embedder_unavailable" });
    expect(server.requests).toHaveLength(count);
  });

  it("is absent for `none`, and a program's own embedder takes precedence", async () => {
    const own: Embedder = {
      name: "own",
      dimensions: 1,
      embed: async (texts) => texts.map(() => [1]),
      close: async () => undefined,
    };
    const prefixed = { embedding: "none", embeddingPassagePrefix: "P: " };
    expect((await open(prefixed, own)).name).toBe("own");
    await expect(open({ embedding: "none" })).rejects.toThrow("no embedder");
  });
});
