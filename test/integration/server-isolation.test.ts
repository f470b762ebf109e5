// Every route of `/api` with ids of another user: they are answered like ids that do not exist, and nothing changes.
import { createHost } from "../../src/runtime/compose/compose.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import type { Host } from "../../src/runtime/host.ts";
import type { StoredMessage } from "../../src/store/port/records.ts";
import type { UserRuntime } from "../../src/runtime/runtime.ts";
import { apiDoor } from "../../src/surfaces/http/api/api-door.ts";
import { type Ask, createTestApp } from "../support/api-app.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

let database: TestDatabase;
let host: Host;
let ada: UserRuntime;
let ask: Ask;
let key: string;
/** Ada's ids, by the names of parameters. */
let ids: Readonly<Record<string, string>>;

beforeAll(async () => {
  database = await createTestDatabase();
  const { connection } = database;
  const place = connection.kind === "server" ? { databaseUrl: connection.url } : { dataDir: connection.folder };
  const model = createScriptedModel({ name: "scripted", replies: [{ text: "Hello." }] });
  host = await createHost({ ...place, model: "scripted", models: [model], embedder: null, timeZone: "UTC" });
  ask = createTestApp(host, [apiDoor]);
  ada = host.forUser("ada");
  ids = await fill();
  ({ secret: key } = await host.keys.create("ben", { scope: "admin" }));
});
afterAll(async () => {
  await host.close();
  await database.remove();
});

async function fill(): Promise<Readonly<Record<string, string>>> {
  const { id: agent } = await ada.agents.create({ name: "main", human: "Name: Ada" });
  const opened = await ada.agents.open("main");
  const files = [{ name: "boat.txt", data: Buffer.from("A drawing of Ada's boat.") }];
  const { id: turn } = await opened.start({ messages: [{ text: "Hi", files }] });
  for await (const _event of opened.events(turn)) void _event;
  const { messages } = await ada.conversations.messages(opened.conversationId);
  const passage = await ada.archival.add("main", "The boat is blue.");
  const mcp = await ada.mcpServers.create({ name: "boats", url: "https://boats.example.com/mcp" });
  const { id: identity } = await ada.identities.create({ key: "ada", name: "Ada" });
  const { id: schedule } = await ada.schedules.create("main", { text: "Good morning", cron: "0 9 * * *" });
  const { id: module } = await ada.modules.create({ label: "project", value: "Boats." });
  await ada.modules.share(module, "cleo", "read");
  const parameters = { type: "object", properties: {} };
  const { id: tool } = await ada.tools.create({ name: "ring", description: "Rings.", parameters });
  const { id: source } = await ada.sources.create("books");
  await ada.sources.add("books", "Moby Dick is about a whale.");
  await ada.sources.load("books", [{ name: "moby.txt", data: "Boats and a whale." }]);
  await ada.sources.attach("main", "books");
  const [file] = await ada.sources.attachedFiles("main");
  await ada.agents.share("main", "cleo");
  const { id: adasKey } = await ada.keys.create();
  const [step] = await ada.turns.steps(turn);
  return {
    agent,
    conversation: opened.conversationId,
    turn,
    message: messages[0]?.id ?? "",
    attachment: attachmentIn(messages[0]!),
    passage: passage.id,
    schedule,
    identity,
    server: mcp.server.id,
    module,
    tool,
    source,
    file: file!.id,
    key: adasKey,
    user: "cleo",
    label: "human",
    call: "call-1",
    revision: "1",
    ordinal: "1",
    step: step?.id ?? "",
  };
}

function attachmentIn({ content }: Pick<StoredMessage, "content">): string {
  const [location] = content.flatMap((part) => (part.type === "file" ? [part.location] : []));
  return location?.type === "attachment" ? location.id : "";
}

/** All that the user can read, as JSON. */
async function state(): Promise<string> {
  const { conversation = "", module = "", turn = "" } = ids;
  const parts = await Promise.all([
    ada.agents.list(),
    ada.agents.recipients("main"),
    ada.memory.show("main"),
    ada.memory.revisions("main"),
    ada.archival.list("main"),
    ada.conversations.list("main"),
    ada.conversations.messages(conversation),
    ada.schedules.list("main"),
    ada.modules.list(),
    ada.modules.recipients(module),
    ada.tools.list(),
    ada.sources.list(),
    ada.sources.passages("books"),
    ada.sources.attachedFiles("main"),
    ada.identities.list(),
    ada.turns.find(turn),
    ada.forget.list(),
    ada.keys.list(),
    ada.user.usage(),
  ]);
  return JSON.stringify(parts);
}

const queries: Readonly<Record<string, string>> = {
  "get /agents/:agent/recall": "?query=Ada",
  "get /agents/:agent/recall/days": "?start=2026-01-01&end=2026-01-02",
  "get /agents/:agent/archive/search": "?query=boat",
  "get /agents/:agent/context": "?query=boat",
  "get /node-memories": "?ageMs=0",
  "get /prices": "?model=demo",
  "delete /sources/:source/files": "?path=moby.txt",
};

const at = "2026-01-02T03:04:05Z";
const nobody = "0198f1f0-0000-7000-8000-000000000000";

const bodies: Readonly<Record<string, unknown>> = {
  "put /agents/:agent/system-prompt": { text: "You are Bo." },
  "put /agents/:agent/modules/:label": { value: "stolen" },
  "patch /agents/:agent/modules/:label": { append: "stolen" },
  "post /agents/:agent/remember": { fact: "I was here." },
  "post /agents/:agent/archive": { text: "I was here." },
  "post /agents/:agent/archive/import": { passages: [{ text: "I was here." }] },
  "put /agents/:agent/archive/:passage/tags": { tags: ["stolen"] },
  "put /sources/:source/passages/:passage/tags": { tags: ["stolen"] },
  "post /agents/:agent/schedules": { text: "hello", cron: "0 9 * * *" },
  "patch /agents/:agent/conversations/:conversation": { title: "stolen" },
  "post /agents/:agent/conversations/import": { messages: [{ role: "user", text: "Hi", at }] },
  "post /agents/:agent/conversations/:conversation/switch": { messageId: nobody },
  "post /agents/:agent/conversations/:conversation/turns": { messages: [{ text: "Hi" }] },
  "post /agents/:agent/conversations/:conversation/results": { results: [{ callId: "c", status: "ok", text: "" }] },
  "post /agents/:agent/conversations/:conversation/regenerate": { messageId: nobody },
  "post /agents/:agent/conversations/:conversation/rewrite": { text: "stolen" },
  "post /agents/:agent/conversations/:conversation/rethink": { text: "stolen" },
  "post /agents/:agent/conversations/:conversation/raise": { event: "heartbeat" },
  "post /agents/:agent/conversations/:conversation/ask": { question: "Who?" },
  "post /sources/:source/passages": { text: "I was here." },
  "post /mcp-servers/:server/tools/:tool/run": { args: {} },
  "put /modules/:module/recipients/:user": { access: "write" },
};

function sampleBody(route: string): unknown {
  const isImport = route === "post /agents/:agent/imports";
  if (!isImport && route !== "post /sources/:source/files") return bodies[route] ?? {};
  const form = new FormData();
  form.append("file", new File([isImport ? '[{"memory":"I was here."}]' : "I was here."], "here.txt"));
  if (isImport) form.append("form", "mem0");
  return form;
}

const named = apiDoor.routes.filter(({ path }) => path.includes(":"));

test.each(named.map((route) => [`${route.method} ${route.path}`, route] as const))(
  "%s answers 404 and changes nothing",
  async (name, route) => {
    const before = await state();
    const path = route.path.replace(/:(\w+)/gu, (_match, parameter: string) => ids[parameter] ?? "missing");
    const sent = route.body === null ? { key } : { key, body: sampleBody(name) };
    const { status, text } = await ask(route.method.toUpperCase(), `/api${path}${queries[name] ?? ""}`, sent);
    expect({ name, status, text }).toMatchObject({ status: 404 });
    expect(text).not.toMatch(/Ada|boat|Boats|whale/u);
    expect(await state()).toBe(before);
  },
);

test("lists of the other user hold nothing of it", async () => {
  for (const { method, path } of apiDoor.routes) {
    if (method !== "get" || path.includes(":")) continue;
    const { status, text } = await ask("GET", `/api${path}${queries[`get ${path}`] ?? ""}`, { key });
    expect({ path, status }).toEqual({ path, status: 200 });
    for (const id of Object.values(ids)) if (/-/u.test(id)) expect(text).not.toContain(id);
  }
});

test("a filter by an id of another user finds nothing", async () => {
  const { agent = "", conversation = "" } = ids;
  expect((await ask("GET", `/api/turns?conversation=${conversation}`, { key })).text).toBe("[]");
  expect((await ask("GET", `/api/turns?agent=${agent}`, { key })).status).toBe(404);
});
