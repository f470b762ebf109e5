// The address of an agent's model: kept with the agent, shown, and changed by an explicit action alone.
import { drain, lastOf, useRuntimes } from "../support/runtime.ts";
import { type RawServer, startRawServer } from "../support/raw-server.ts";
import { wireAnswer } from "../support/wire-replies.ts";

const runtimes = useRuntimes();
let home: RawServer & { readonly asked: () => number };
let other: RawServer & { readonly asked: () => number };

async function startServer(text: string) {
  const server = await startRawServer([wireAnswer("chat", { text })]);
  return { ...server, asked: server.requests };
}

beforeAll(async () => {
  home = await startServer("from home");
  other = await startServer("from elsewhere");
});
afterAll(async () => {
  await home[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});

const model = "openai/x";
const openaiApi = "chat";
// A real key: without it, OpenAI's own address would be refused before any call.
const openaiApiKey = "sk-test-123456";

let count = 0;

async function agentAt(baseUrl: string): Promise<string> {
  count += 1;
  const name = `at-${count}`;
  const runtime = await runtimes.open({ model, openaiApi, openaiApiKey, baseUrl });
  await runtime.agents.create({ name });
  return name;
}

test("an agent keeps the address that it was created with, whatever the configuration says later", async () => {
  const name = await agentAt(`${home.url}/v1`);
  for (const baseUrl of [null, `${other.url}/v1`]) {
    const runtime = await runtimes.open({ model, openaiApi, openaiApiKey, baseUrl });
    const agent = await runtime.agents.open(name);
    expect(agent.record.settings.baseUrl).toBe(`${home.url}/v1`);
    expect((await lastOf(agent.send("hello"))).text).toBe("from home");
  }
});

test("another model of the same provider keeps the address", async () => {
  const name = await agentAt(`${home.url}/v1`);
  const runtime = await runtimes.open({ model, openaiApi, openaiApiKey });
  const agent = await runtime.agents.open(name, { model: "openai/y" });
  expect(agent.record).toMatchObject({ model: "openai/y", settings: { baseUrl: `${home.url}/v1` } });
  expect((await lastOf(agent.send("hello"))).text).toBe("from home");
});

test("a summarizer of the same provider uses the address", async () => {
  const name = await agentAt(`${home.url}/v1`);
  const runtime = await runtimes.open({ model, openaiApi, openaiApiKey });
  await runtime.agents.update(name, { summarizer: "openai/small", keepLast: 0 });
  const agent = await runtime.agents.open(name);
  await drain(agent.send("one"));
  await drain(agent.send("two"));
  const before = home.asked();
  await agent.compact();
  expect(home.asked()).toBe(before + 1);
});

test("a model of another provider does not use the address", async () => {
  const name = await agentAt(`${home.url}/v1`);
  const runtime = await runtimes.open({ model, openaiApi, openaiApiKey });
  const agent = await runtime.agents.open(name, { model: "demo" });
  expect(agent.record.settings.baseUrl).toBeNull();
});

test.each<[string, (name: string) => Promise<unknown>]>([
  [
    "opening it with another",
    async (name) => {
      const runtime = await runtimes.open({ model, openaiApi, openaiApiKey });
      await runtime.agents.open(name, { baseUrl: `${other.url}/v1` });
    },
  ],
  [
    "changing the setting",
    async (name) => {
      const runtime = await runtimes.open({ model, openaiApi, openaiApiKey });
      await runtime.agents.update(name, { baseUrl: `${other.url}/v1` });
    },
  ],
])("%s changes the address from then on", async (_title, change) => {
  const name = await agentAt(`${home.url}/v1`);
  await change(name);
  const runtime = await runtimes.open({ model, openaiApi, openaiApiKey, baseUrl: `${home.url}/v1` });
  const agent = await runtime.agents.open(name);
  expect((await lastOf(agent.send("hello"))).text).toBe("from elsewhere");
});

test("an agent without its own address uses its provider's, and demo has none", async () => {
  const runtime = await runtimes.open({ model, openaiApi, openaiApiKey });
  expect((await runtime.agents.create({ name: "public" })).settings.baseUrl).toBeNull();
  const local = await runtimes.open({ model: "demo", openaiApiKey, baseUrl: `${home.url}/v1` });
  expect((await local.agents.create({ name: "stand-in" })).settings.baseUrl).toBeNull();
  expect((await local.agents.open("public")).record.settings.baseUrl).toBeNull();
});

test("an invalid address is refused, with nothing written", async () => {
  const name = await agentAt(`${home.url}/v1`);
  const runtime = await runtimes.open({ model, openaiApi, openaiApiKey });
  const opening = runtime.agents.open(name, { baseUrl: "https://ada:hunter22@host/v1" });
  await expect(opening).rejects.toThrow(/^baseUrl: expected(?!.*hunter22)/u);
  expect((await runtime.agents.find(name)).settings.baseUrl).toBe(`${home.url}/v1`);
});
