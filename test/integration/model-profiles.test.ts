// The window that a model's server states: asked for before the first request, stored for other processes, and corrected by an
// error that names another.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { readAbilities, readProfile } from "../../src/model/llm/servers/read-profile.ts";
import { openaiListing } from "../../src/model/llm/model-provider.ts";
import { createTestRuntimes, lastOf, type TestRuntimes } from "../support/runtime.ts";
import { startRawServer } from "../support/raw-server.ts";
import { startScriptedOllama } from "../support/scripted-ollama.ts";
import { wireAnswer, wireRefusal } from "../support/wire-replies.ts";

/** A server with fixed answers; a number is a status. */
async function startAnswers(answers: Readonly<Record<string, unknown>>) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    request.resume();
    const answer = answers[`${request.url}`];
    asked.push(`${request.method} ${request.url}`);
    if (answer === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": "application/json" });
    response.end(typeof answer === "string" ? answer : JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, asked, [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}

const limits = { timeoutMs: 5000, loadMs: 5000, signal: new AbortController().signal };

const profileAt = (url: string, model: string) =>
  readProfile({ provider: "openai", title: "it", url, listing: openaiListing, key: null }, model, limits);

const list = (entry: object) => ({ object: "list", data: [{ id: "other" }, { id: "m", ...entry }] });

describe("readProfile", () => {
  it.each<readonly [string, Readonly<Record<string, unknown>>, object]>([
    ["vLLM", { "/v1/models": list({ owned_by: "vllm", max_model_len: 32_768 }) }, { window: 32_768, program: "vLLM" }],
    [
      "Anthropic",
      {
        "/v1/models": list({
          max_input_tokens: 1_000_000,
          max_tokens: 128_000,
          capabilities: { image_input: { supported: true }, thinking: { supported: true } },
        }),
      },
      { window: 1_000_000, maxOutputTokens: 128_000, abilities: { images: true, thinking: true, tools: null } },
    ],
    ["a gateway", { "/v1/models": list({ context_length: 131_072 }) }, { window: 131_072, program: null }],
    [
      "llama.cpp",
      {
        "/v1/models": list({ owned_by: "llamacpp", meta: { n_ctx_train: 131_072 } }),
        "/props": { default_generation_settings: { n_ctx: 8192 }, total_slots: 1, modalities: { vision: false } },
      },
      { window: 8192, program: "llama.cpp", abilities: { images: false } },
    ],
    [
      "LM Studio with the model loaded",
      {
        "/v1/models": list({ owned_by: "organization_owner" }),
        "/api/v0/models/m": {
          id: "m",
          type: "llm",
          state: "loaded",
          max_context_length: 131_072,
          loaded_context_length: 6000,
          capabilities: ["tool_use"],
        },
      },
      { window: 6000, program: "LM Studio", abilities: { tools: true, embeddings: false } },
    ],
    [
      "LM Studio before it loads the model",
      {
        "/v1/models": list({}),
        "/api/v0/models/m": { id: "m", type: "embeddings", state: "not-loaded", max_context_length: 2048 },
      },
      { window: null, assumedWindow: 2048, abilities: { tools: null, embeddings: true } },
    ],
  ])("reads what %s says", async (_program, answers, expected) => {
    await using server = await startAnswers(answers);
    expect(await profileAt(`${server.url}/v1`, "m")).toMatchObject(expected);
  });

  it("reads the window that Ollama has loaded a model with, and loads it to know", async () => {
    await using server = await startScriptedOllama({ window: 8192, models: [{ name: "m", trained: 40_960 }] });
    expect(await profileAt(server.url, "m")).toMatchObject({
      window: 8192,
      program: "Ollama",
      abilities: { tools: true, images: false, thinking: false, embeddings: false },
    });
    expect(server.paths.filter((each) => each === "POST /api/generate")).toHaveLength(1);
  });

  it("reads Ollama's num_ctx without loading the model, and never a window longer than trained", async () => {
    await using server = await startScriptedOllama({
      window: 4096,
      models: [{ name: "m", trained: 16_384, numCtx: 65_536 }],
    });
    expect(await profileAt(server.url, "m")).toMatchObject({ window: 16_384 });
    expect(server.paths).not.toContain("POST /api/generate");
  });

  it.each<readonly [string, unknown]>([
    ["no list", undefined],
    ["a page", "<html></html>"],
    ["a chat completion", { id: "c", object: "chat.completion", choices: [] }],
    ["a list of another shape", { data: "none" }],
  ])("says nothing of a server that answers with %s, and asks it no further", async (_what, answer) => {
    await using server = await startAnswers({ "/v1/models": answer });
    expect(await profileAt(`${server.url}/v1`, "m")).toBeNull();
    expect(server.asked).toEqual(["GET /v1/models"]);
  });

  it.each<readonly [string, object]>([
    ["text", { max_model_len: "32768" }],
    ["negative", { max_model_len: -1 }],
    ["a few tokens", { max_model_len: 3 }],
    ["not whole", { max_model_len: 4096.5 }],
  ])("says no window from one that is %s", async (_what, entry) => {
    await using server = await startAnswers({ "/v1/models": list(entry) });
    expect(await profileAt(`${server.url}/v1`, "m")).toMatchObject({ window: null });
  });

  it("gives up on a server that does not answer", async () => {
    await using silent = await startRawServer([{ chunks: [], ending: "silent" }], "GET");
    const server = { provider: "openai", title: "it", url: silent.url, listing: openaiListing, key: null };
    expect(await readProfile(server, "m", { ...limits, timeoutMs: 20 })).toBeNull();
  });
});

describe("readAbilities", () => {
  it("says what Ollama's models can do", async () => {
    const models = [
      { name: "chat" },
      { name: "plain", capabilities: ["completion"] },
      { name: "vectors", capabilities: ["embedding"] },
    ];
    await using server = await startScriptedOllama({ window: 4096, models });
    const place = { provider: "openai", title: "it", url: server.url, listing: openaiListing, key: null };
    const known = await readAbilities(place, ["chat", "plain", "vectors", "none"], limits);
    expect([...known].map(([name, { tools, embeddings }]) => [name, tools, embeddings])).toEqual([
      ["chat", true, false],
      ["plain", false, false],
      ["vectors", false, true],
    ]);
    expect(server.paths).not.toContain("POST /api/generate");
  });

  it("says nothing of another server's models, after one question", async () => {
    await using server = await startAnswers({ "/v1/models": list({}) });
    const place = { provider: "openai", title: "it", url: `${server.url}/v1`, listing: openaiListing, key: null };
    expect((await readAbilities(place, ["m", "n", "o"], limits)).size).toBe(0);
    expect(server.asked).toEqual(["POST /api/show", "GET /api/v0/models/m"]);
  });
});

describe("an agent", () => {
  let runtimes: TestRuntimes;
  let dataDir: string;
  beforeAll(async () => (runtimes = await createTestRuntimes()));
  afterAll(() => runtimes.close());
  beforeEach(() => (dataDir = mkdtempSync(path.join(tmpdir(), "palimpsest-profiles-"))));
  afterEach(() => rmSync(dataDir, { recursive: true }));

  const openAt = (baseUrl: string) =>
    runtimes.open({ model: "openai/m", openaiApi: "chat", baseUrl, ...profilesIn(dataDir) });
  /** The store is of the engine under test, and the profiles are in a folder. */
  const profilesIn = (folder: string) => (runtimes.place.databaseUrl === undefined ? {} : { dataDir: folder });
  let count = 0;
  const newAgent = () => `profiled-${(count += 1)}`;

  it("has the window of its server from its first request on, and never sends more", async () => {
    await using server = await startScriptedOllama({ window: 4096, models: [{ name: "m" }] });
    const agent = await (await openAt(server.url)).agents.open(newAgent(), { create: {} });
    for (let at = 0; at < 12; at += 1) {
      const { stopReason } = await lastOf(agent.send(`${at}: ${"a few words of no importance ".repeat(30)}`));
      expect(stopReason).toBe("end-turn");
    }
    expect(agent.context().report).toMatchObject({ window: 4096, windowFrom: "server" });
    expect(server.prompts.length).toBeGreaterThan(12);
    expect(server.prompts.filter(({ isCut }) => isCut)).toEqual([]);
  });

  it("has a configured window instead of its server's", async () => {
    await using server = await startScriptedOllama({ window: 8192, models: [{ name: "m" }] });
    const runtime = await runtimes.open({
      model: "openai/m",
      openaiApi: "chat",
      baseUrl: server.url,
      contextWindow: 6000,
    });
    const agent = await runtime.agents.open(newAgent(), { create: {} });
    await lastOf(agent.send("Hi"));
    expect(agent.context().report).toMatchObject({ window: 6000, windowFrom: "setting" });
  });

  it("counts with the default of a server that says nothing", async () => {
    await using server = await startRawServer([wireAnswer("chat", { text: "Hello." })]);
    const agent = await (await openAt(`${server.url}/v1`)).agents.open(newAgent(), { create: {} });
    expect((await lastOf(agent.send("Hi"))).text).toBe("Hello.");
    expect(agent.context().report).toMatchObject({ window: 128_000, windowFrom: "default" });
  });

  it("asks a server that states no window once, and not before every request", async () => {
    const reply = wireAnswer("chat", { text: "Hello." }).chunks.join("");
    await using server = await startAnswers({ "/v1/models": list({}), "/v1/chat/completions": reply });
    const agent = await (await openAt(`${server.url}/v1`)).agents.open(newAgent(), { create: {} });
    for (const words of ["one", "two", "three"]) expect((await lastOf(agent.send(words))).text).toBe("Hello.");
    expect(server.asked.filter((each) => each === "POST /api/show")).toHaveLength(1);
  });

  it("learns the window that an overflow names, and sends a request that fits", async () => {
    const overflow = wireRefusal("chat", {
      status: 400,
      code: "context_length_exceeded",
      message: "This model's maximum context length is 16384 tokens.",
    });
    await using server = await startRawServer([
      wireAnswer("chat", { text: "One." }),
      wireAnswer("chat", { text: "Two." }),
      overflow,
      wireAnswer("chat", { text: "A summary." }),
      wireAnswer("chat", { text: "Three." }),
    ]);
    const name = newAgent();
    const agent = await (await openAt(`${server.url}/v1`)).agents.open(name, { create: {} });
    for (const words of ["one", "two", "three"]) await lastOf(agent.send(words));
    expect(agent.context().report).toMatchObject({ window: 16_384, windowFrom: "overflow" });
    const later = await (await openAt(`${server.url}/v1`)).agents.open(name, { withoutCalls: true });
    expect(later.context().report).toMatchObject({ window: 16_384, windowFrom: "overflow" });
  });

  it("has in another process what its server said last, and after a restart of the server what it says then", async () => {
    await using server = await startScriptedOllama({ window: 4096, models: [{ name: "m" }] });
    const name = newAgent();
    await lastOf((await (await openAt(server.url)).agents.open(name, { create: {} })).send("Hi"));
    server.restart(8192);
    const runtime = await openAt(server.url);
    const reading = await runtime.agents.open(name, { withoutCalls: true });
    expect(reading.context().report).toMatchObject({ window: 4096, windowFrom: "server" });
    const agent = await runtime.agents.open(name);
    await lastOf(agent.send("Hi"));
    expect(agent.context().report).toMatchObject({ window: 8192, windowFrom: "server" });
  });
});
