// What the lists and searches of the server read from the database: as many operations for a long list as for a short one, and
// no more of an archive or a conversation than the answer needs.
import { composeRuntime } from "../../src/runtime/compose/compose.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import type { Host } from "../../src/runtime/host.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { apiDoor } from "../../src/surfaces/http/api/api-door.ts";
import { lettaDoor } from "../../src/surfaces/http/letta/letta-door.ts";
import { type Ask, createTestApp } from "../support/api-app.ts";
import { openTestStore, type TestStore } from "../support/database.ts";
import { recordingCalls } from "../support/record-store-calls.ts";

let opened: TestStore;
let runtime: Runtime;
let ask: Ask;
let agentId: string;
const calls: string[] = [];
let made = 0;

beforeAll(async () => {
  opened = await openTestStore();
  const model = createScriptedModel({ replies: [] });
  const options = { model: "scripted", models: [model], embedder: null };
  runtime = await composeRuntime(options, { store: recordingCalls(opened.store, calls) });
  const key = { userId: runtime.userId, agentId: null, scope: "admin" };
  const host = { forUser: () => runtime, keys: { verify: async () => key } } as unknown as Host;
  ask = createTestApp(host, [apiDoor, lettaDoor]);
  agentId = await addAgents(2);
});
afterAll(async () => {
  await runtime.close();
  await opened.close();
});

/** Creates agents with blocks, a tool, a folder with a file, an archive and an identity each. Returns the id of the last one. */
async function addAgents(count: number): Promise<string> {
  let id = "";
  for (let at = 0; at < count; at += 1) {
    made += 1;
    const own = {
      memory_blocks: [
        { label: "human", value: "" },
        { label: "notes", value: "x" },
      ],
    };
    id = (await posted("/agents", { name: `agent-${made}`, ...own })).id;
    const tool = await runtime.tools.create({ name: `tool_${made}`, description: "x", parameters: { type: "object" } });
    await runtime.tools.attach(id.slice(6), tool.id);
    for (const kind of ["folders", "archives"] as const) {
      const { id: of } = await posted(`/${kind}`, { name: `${kind}-${made}` });
      await done("PATCH", `/agents/${id}/${kind}/attach/${of}`);
      const named = [{ name: `file-${made}.txt`, data: "A text." }];
      if (kind === "folders") await runtime.sources.load(of.slice(of.indexOf("-") + 1), named);
    }
    const person = { identifier_key: `key-${made}`, name: "x", identity_type: "user", agent_ids: [id.slice(6)] };
    await posted("/identities", { ...person, agent_ids: [id] });
  }
  return id.slice(6);
}

async function done(method: string, path: string, body?: unknown): Promise<string> {
  const { status, text } = await ask(method, `/v1${path}`, { key: "k", ...(body === undefined ? {} : { body }) });
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
  return text;
}

async function posted(path: string, body: unknown): Promise<{ readonly id: string }> {
  return JSON.parse(await done("POST", path, body)) as { readonly id: string };
}

const lists = [apiDoor, lettaDoor].flatMap(({ path, routes }) =>
  routes
    .filter(({ method, path: at }) => method === "get" && !at.replace(":agent", "").includes(":"))
    .map((route) => `${path}${route.path}`),
);

/** The number of store operations of each list; those in the background are not the list's. */
async function readsOfLists(): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const path of lists) {
    const id = path.startsWith("/v1") ? `agent-${agentId}` : agentId;
    calls.length = 0;
    await ask("GET", path.replace(":agent", id), { key: "k" });
    counts[path] = calls.filter((call) => !background.has(call.split(".")[0]!)).length;
  }
  return counts;
}

const background = new Set(["events", "embeddings", "vectors"]);

test("a list of many items takes as many reads as a list of two", async () => {
  await readsOfLists();
  const few = await readsOfLists();
  await addAgents(8);
  expect(await readsOfLists()).toEqual(few);
});

/** Returns how often each of these operations of the store was called. */
const countOf = (...operations: readonly string[]) =>
  operations.map((operation) => calls.filter((call) => call === operation).length);

test("a search of passages without a query reads each archive once, and no further than its limit", async () => {
  const agents = await runtime.agents.list();
  const { id: shared } = await posted("/archives", { name: "shared" });
  for (const { id } of agents) await done("PATCH", `/agents/agent-${id}/archives/attach/${shared}`);
  const at = new Date("2026-03-01T09:00:00Z");
  const notes = Array.from({ length: 1100 }, (_, number) => ({ text: `note ${number}`, at }));
  await runtime.archival.import("agent-1", [...notes, { text: "the newest" }]);
  calls.length = 0;
  const found = JSON.parse(await done("POST", "/passages/search", { limit: 5 })) as readonly object[];
  expect(found).toHaveLength(5);
  expect(found[0]).toMatchObject({ passage: { text: "the newest" } });
  expect(countOf("passages.list", "passages.listOfSource")).toEqual([agents.length, agents.length + 1]);
});

test("a search of one conversation without a query reads the conversation alone", async () => {
  const messages = Array.from({ length: 8 }, (_, number) => ({
    role: number % 2 === 0 ? ("user" as const) : ("assistant" as const),
    text: `message ${number}`,
    at: new Date(`2026-03-0${number + 1}T09:00:00Z`),
  }));
  await runtime.conversations.import("agent-1", { messages });
  const { id } = await runtime.conversations.import("agent-1", { messages });
  calls.length = 0;
  const body = { conversation_id: `conv-${id}`, limit: 3, start_date: "2026-03-02", end_date: "2026-03-07" };
  const found = JSON.parse(await done("POST", "/messages/search", body)) as readonly { readonly content: string }[];
  expect(found.map(({ content }) => content)).toEqual(["message 1", "message 2", "message 3"]);
  const reads = ["conversations.find", "conversations.page", "conversations.message", "recall.search"];
  expect(countOf(...reads)).toEqual([1, 2, 0, 0]);
});

test("an unknown agent is answered with a similar name, and no agent is read for it", async () => {
  calls.length = 0;
  const { status, text } = await ask("GET", "/api/agents/agend-1", { key: "k" });
  expect([status, text]).toEqual([404, expect.stringContaining('Did you mean \\"agent-1\\"?')]);
  expect(calls).not.toContain("agents.list");
});
