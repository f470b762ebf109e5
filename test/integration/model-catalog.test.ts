// The models and embedders that agents can have, as a front end lists them.
import { createHost, type HostOptions } from "../../src/runtime/compose/compose.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import { createTestDatabase, placeOf, type TestDatabase } from "../support/database.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { startRawServer } from "../support/raw-server.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.remove());

async function openModels(options: Partial<HostOptions>) {
  const place = placeOf(database);
  const lines: string[] = [];
  const clock = createManualClock();
  const host = await createHost({ ...place, embedder: null, clock, log: (line) => lines.push(line), ...options });
  return { models: host.forUser("ada").models, lines, clock, [Symbol.asyncDispose]: () => host.close() };
}

const list = (...ids: string[]) => JSON.stringify({ data: ids.map((id) => ({ id })) });

test("the models of the configured server follow the default one, and the server is asked once a minute", async () => {
  await using server = await startRawServer([{ chunks: [list("one", "two")] }, { chunks: [list("three")] }], "GET");
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
