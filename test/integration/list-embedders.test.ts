// The models and the embedding models that can be named: what is told of each, what the settings suffice for, and which one is in use.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { listEmbedders } from "../../src/runtime/compose/list-embedders.ts";
import { type Config, configDefaults } from "../../src/config/settings.ts";
import type { EmbedderChoice } from "../../src/runtime/embedder-choice.ts";
import { createHost, type HostOptions } from "../../src/runtime/compose/compose.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import { useFolder } from "../support/folders.ts";
import { placeOf, useDatabase } from "../support/database.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { startRawServer } from "../support/raw-server.ts";

const dataDir = useFolder();

const list = (changes: Partial<Config> = {}) => listEmbedders({ ...configDefaults, dataDir, ...changes });
const ready = (choices: readonly EmbedderChoice[]) => choices.filter((each) => each.isReady).map(({ name }) => name);
const used = (choices: readonly EmbedderChoice[]) => choices.filter(({ isUsed }) => isUsed);

const ours = ["openai/text-embedding-3-small", "openai/text-embedding-3-large", "openai/text-embedding-ada-002"];
const servers = ["nomic-embed-text", "mxbai-embed-large", "all-minilm", "bge-m3"].map((name) => `openai/${name}`);
const bge = ["openai/bge-small-en", "openai/bge-base-en", "openai/bge-large-en"];

it("are listed with width, window and requirements; without settings only the local one is ready, and used", async () => {
  const choices = await list();
  expect(choices.map(({ name }) => name)).toEqual(["local/use-lite", ...ours, ...servers, ...bge, "transformers/NAME"]);
  expect(choices[0]).toEqual({
    name: "local/use-lite",
    dimensions: 512,
    windowTokens: 128,
    isRemote: false,
    needs: null,
    isReady: true,
    isUsed: true,
  });
  expect(choices[2]).toMatchObject({ dimensions: 3072, windowTokens: 8192, isRemote: true, needs: "OPENAI_API_KEY" });
  expect(choices[4]).toMatchObject({
    dimensions: 768,
    windowTokens: 2048,
    needs: "embeddingBaseUrl: a server with this model",
  });
  expect(choices.at(-1)).toMatchObject({
    dimensions: null,
    windowTokens: null,
    isRemote: false,
    needs: `@huggingface/transformers, and a model in ${path.join(dataDir, "models")}`,
  });
  expect([ready(choices), used(choices).length]).toEqual([["local/use-lite"], 1]);
});

it.each<[string, Partial<Config>, readonly string[]]>([
  ["OpenAI's own by its key", { openaiApiKey: "k" }, ours],
  ["OpenAI's own by a key for embeddings", { embeddingApiKey: "k", baseUrl: "http://localhost/v1" }, ours],
  ["none by a key that is for another server", { openaiApiKey: "k", baseUrl: "http://localhost/v1" }, []],
  ["all of a server's by its address", { embeddingBaseUrl: "http://localhost/v1" }, [...ours, ...servers, ...bge]],
])("are ready: %s", async (_what, changes, names) => {
  expect(ready(await list(changes))).toEqual(["local/use-lite", ...names]);
});

it("of another name is first if it is used, with its settings and prefix", async () => {
  const server = { embeddingBaseUrl: "http://localhost:1/v1" };
  const [tiny] = await list({ ...server, embedding: "openai/tiny", embeddingDimensions: 8, embeddingWindow: 100 });
  expect(tiny).toMatchObject({ name: "openai/tiny", dimensions: 8, windowTokens: 100, isReady: true, isUsed: true });
  const [short, local] = await list({ openaiApiKey: "k", embedding: "openai/text-embedding-3-small@256" });
  expect(short).toMatchObject({ dimensions: 256, windowTokens: 8192, needs: "OPENAI_API_KEY", isReady: true });
  expect(local).toMatchObject({ name: "local/use-lite", isUsed: false });
  const [nomic] = used(await list({ ...server, embedding: "openai/nomic-embed-text" }));
  expect(nomic).toMatchObject({ dimensions: 768, isReady: true });
  expect(nomic!.windowTokens).toBeLessThan(2048);
});

it("that is used but not ready is listed as such, with its known properties", async () => {
  const [unknown] = await list({ openaiApiKey: "k", embedding: "openai/tiny" });
  expect(unknown).toMatchObject({
    name: "openai/tiny",
    dimensions: null,
    windowTokens: null,
    isReady: false,
    isUsed: true,
  });
  const [keyless] = used(await list({ embedding: "openai/text-embedding-ada-002" }));
  expect(keyless).toMatchObject({ dimensions: 1536, windowTokens: 8192, isReady: false });
  const [folder] = await list({ embedding: "transformers/none" });
  expect(folder).toMatchObject({ name: "transformers/none", dimensions: null, isReady: false, isUsed: true });
});

it("none is used for none", async () => {
  const choices = await list({ embedding: "none" });
  expect([used(choices), choices.length]).toEqual([[], 12]);
});

it("a damaged model in the folder does not hide the others", async () => {
  const folder = path.join(dataDir, "models", "broken");
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "config.json"), "\u0000{");
  const choices = await list({ embedding: "transformers/broken" });
  expect(choices).toHaveLength(13);
  expect(choices[0]).toMatchObject({ isReady: false, isUsed: true });
});

const database = useDatabase();

async function openModels(options: Partial<HostOptions>) {
  const place = placeOf(database);
  const lines: string[] = [];
  const clock = createManualClock();
  const host = await createHost({ ...place, embedder: null, clock, log: (line) => lines.push(line), ...options });
  return { models: host.forUser("ada").models, lines, clock, [Symbol.asyncDispose]: () => host.close() };
}

const listOf = (...ids: string[]) => JSON.stringify({ data: ids.map((id) => ({ id })) });

test("the models of the configured server follow the default one, and the server is asked once a minute", async () => {
  await using server = await startRawServer([{ chunks: [listOf("one", "two")] }, { chunks: [listOf("three")] }], "GET");
  const own = createScriptedModel({ replies: [], name: "own" });
  await using opened = await openModels({
    model: "openai/two",
    baseUrl: server.url,
    contextWindow: 9000,
    models: [own],
  });
  const { models, clock } = opened;
  const names = async () => (await models.list()).models.map(({ name }) => name);
  expect(await names()).toEqual(["openai/two", "own", "openai/one"]);
  expect(await names()).toEqual(["openai/two", "own", "openai/one"]);
  expect(server.requests()).toBe(1);
  expect((await models.list()).models[0]).toEqual({ name: "openai/two", contextWindow: 9000 });
  await clock.advance(61_000);
  expect(await names()).toEqual(["openai/two", "own", "openai/three"]);
});

test("a provider that fails is named, and hides no other", async () => {
  await using server = await startRawServer([{ status: 500, chunks: [] }], "GET");
  await using opened = await openModels({ model: "openai/two", baseUrl: server.url });
  const { models, unread } = await opened.models.list();
  expect([models.map(({ name }) => name), unread]).toEqual([["openai/two"], ["openai"]]);
  expect(opened.lines).toEqual([expect.stringContaining("are not listed")]);
});

test("no provider is asked without a key and an address", async () => {
  await using opened = await openModels({ model: "demo" });
  expect(await opened.models.list()).toEqual({ models: [{ name: "demo", contextWindow: 32_768 }], unread: [] });
});

test("a model is found by its name without a request", async () => {
  await using opened = await openModels({ model: "demo" });
  expect(opened.models.find("openai/gpt-4o-mini")).toEqual({ name: "openai/gpt-4o-mini", contextWindow: 128_000 });
  expect(() => opened.models.find("nowhere/model")).toThrow("Expected a model named");
});

test("the embedders are those whose settings are complete", async () => {
  await using opened = await openModels({ model: "demo", embeddingBaseUrl: "http://127.0.0.1:9/v1" });
  const embedders = await opened.models.embedders();
  expect(embedders.find(({ name }) => name === "openai/text-embedding-3-small")).toMatchObject({ dimensions: 1536 });
  expect(embedders.map(({ name }) => name)).toContain("local/use-lite");
  expect(embedders.map(({ name }) => name)).not.toContain("transformers/NAME");
});
