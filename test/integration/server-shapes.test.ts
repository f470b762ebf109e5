// Calls every route of `/api` once with success, and compares each response with the schema of its route.
import { createHost } from "../../src/runtime/compose/compose.ts";
import type { Model, ModelEvent } from "../../src/model/llm/model.ts";
import { noUsage } from "../../src/base/message/message.ts";
import type { Host } from "../../src/runtime/host.ts";
import { apiDoor } from "../../src/surfaces/http/api/api-door.ts";
import { EventStream } from "../../src/surfaces/http/event-stream.ts";
import type { Route } from "../../src/surfaces/http/route.ts";
import { SentBytes } from "../../src/surfaces/http/sent-bytes.ts";
import { type Ask, createTestApp } from "../support/api-app.ts";
import { callConsolidations, twoMerges } from "../support/consolidation-calls.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { startHttpMcpServer } from "../support/http-mcp-server.ts";

let database: TestDatabase;
let host: Host;
let ask: Ask;
let key: string;
const called = new Set<string>();
const nameOf = ({ method, path }: Pick<Route, "method" | "path">) => `${method} ${path}`;

/** The route, which fails a response that does not have its shape. */
function checked(route: Route): Route {
  return {
    ...route,
    async run(call) {
      const result = await route.run(call);
      if (route.output === "events") expect(result).toBeInstanceOf(EventStream);
      else if (route.output === "bytes") expect(result).toBeInstanceOf(SentBytes);
      else if (route.output === null) expect(result ?? null).toBeNull();
      else {
        const shape = route.output.safeParse(JSON.parse(JSON.stringify(result ?? null)));
        expect({ route: nameOf(route), problem: shape.error?.message }).toEqual({
          route: nameOf(route),
          problem: undefined,
        });
      }
      called.add(nameOf(route));
      return result;
    },
  };
}

/** Answers a request for operations with two, a message "CALL name {json}" with that call, and everything else with text. */
const model: Model = {
  name: "calling",
  contextWindow: 100_000,
  async *stream({ messages }): AsyncGenerator<ModelEvent, void> {
    const last = messages.at(-1);
    const text =
      last?.role === "user" ? last.content.map((part) => (part.type === "text" ? part.text : "")).join("") : "";
    const match = /CALL (\w+) (\{.*\})/u.exec(text);
    if (match === null) yield { type: "thought-delta", text: "Hm." };
    if (match === null) yield { type: "text-delta", text: text.includes("\nRows:\n") ? twoMerges : "Fine." };
    else
      yield {
        type: "tool-call",
        callId: `call-${messages.length}`,
        name: match[1] as string,
        arguments: match[2] as string,
      };
    yield { type: "end", stopReason: match === null ? "end" : "tool-calls", usage: noUsage };
  },
};

beforeAll(async () => {
  database = await createTestDatabase();
  const { connection } = database;
  const place = connection.kind === "server" ? { databaseUrl: connection.url } : { dataDir: connection.folder };
  host = await createHost({
    ...place,
    model: model.name,
    models: [model],
    embedder: null,
    timeZone: "UTC",
    userMcpServers: "network",
  });
  ({ secret: key } = await host.keys.create("ada", { scope: "admin" }));
  ask = createTestApp(host, [{ ...apiDoor, routes: apiDoor.routes.map(checked) }]);
});
afterAll(async () => {
  await host.close();
  await database.remove();
});

async function call(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
  const { status, text } = await ask(method, path, { key, body, headers });
  expect({ method, path, status, text: status < 400 ? "" : text }).toMatchObject({
    text: "",
  });
  // oxlint-disable-next-line typescript/no-explicit-any -- the tests read what came, whatever it is
  return text === "" || text.startsWith(":") ? text : (JSON.parse(text) as any);
}

async function download(path: string): Promise<string> {
  const { status, text } = await ask("GET", path, { key });
  expect(status).toBe(200);
  return text;
}

test("every route answers in its shape", async () => {
  const agent = "/api/agents/main";
  await call("POST", "/api/agents", {
    name: "main",
    human: "Name: Ada",
    settings: { approvals: ["core_memory_append"] },
  });
  await call("GET", "/api/agents");
  expect(await call("GET", "/api/agent-count")).toEqual({ agents: 1 });
  expect(await call("GET", "/api/agent-tags")).toEqual([]);
  await call("GET", agent);
  await call("PATCH", `${agent}/settings`, { maxSteps: 7 });
  await call("PUT", `${agent}/system-prompt`, { text: "You are Bo." });
  await call("GET", `${agent}/modules`);
  await call("PUT", `${agent}/modules/human`, { value: "Name: Ada Lovelace" });
  await call("POST", `${agent}/remember`, { fact: "Likes zebras." });
  expect(await call("PATCH", `${agent}/modules/human`, { append: "Likes boats." })).toMatchObject({ revision: 3 });
  expect(await call("PATCH", `${agent}/modules/human`, { replace: "boats", with: "boats" })).toBeNull();
  await call("GET", `${agent}/modules/human/diff?from=0&to=2`);
  await call("GET", `${agent}/modules/human/revisions/1`);
  await call("GET", `${agent}/modules/human/revisions/1/cause`);
  await call("GET", `${agent}/revisions?limit=5&label=human`);
  await call("POST", `${agent}/undo`, { label: "human" });

  await call("POST", `${agent}/archive`, { text: "The boat is blue.", tags: ["boat"] });
  const [kept] = (await call("GET", `${agent}/archive`)) as unknown as readonly { readonly id: string }[];
  expect(await call("GET", `${agent}/archive/count`)).toEqual({ passages: 1 });
  const search = `${agent}/archive/search?query=boat&tags=boat&tags=blue`;
  expect((await call("GET", `${search}&kinds=memory&minImportance=0.1`)).total).toBe(1);
  expect((await call("GET", `${search}&kinds=document`)).total).toBe(0);
  const at = "2026-01-02T03:04:05Z";
  const imported = { passages: [{ text: "The boat is blue." }, { text: "Low water at nine.", at }] };
  expect(await call("POST", `${agent}/archive/import`, imported)).toEqual({ added: 1 });
  expect(await call("GET", `${agent}/archive?order=oldest&limit=1`)).toMatchObject([
    { at: "2026-01-02T03:04:05.000Z" },
  ]);
  await call("PUT", `${agent}/archive/${kept!.id}/tags`, { tags: ["boats"] });
  await call("DELETE", `${agent}/archive/${kept!.id}`);

  const { id } = await call("POST", `${agent}/conversations`, { title: "A talk" });
  const conversation = `${agent}/conversations/${id as string}`;
  await call("GET", `${agent}/conversations?limit=5`);
  await call("PATCH", conversation, { title: null });
  const files = [
    { url: `data:text/plain;base64,${Buffer.from("Low water at 9.").toString("base64")}`, name: "tides.txt" },
  ];
  const turn = await call("POST", `${conversation}/turns`, { messages: [{ text: "Hi", idempotencyKey: "1", files }] });
  expect(await call("GET", `${conversation}/turns/${turn.turnId}/events?after=0`)).toContain("event: turn-end");
  const { id: keyed } = await call("GET", `${conversation}/keyed-turns/1`);
  expect(keyed).toBe(turn.turnId);
  const { messages } = await call("GET", `${conversation}/messages?limit=10`);
  expect(messages).toHaveLength(2);
  const { location } = messages[0].content.find(({ type }: { readonly type: string }) => type === "file");
  expect(await download(`${conversation}/files/${location.id as string}`)).toBe("Low water at 9.");
  await call("GET", `${conversation}/branches`);
  await call("GET", `${conversation}/window`);
  await call("GET", `${conversation}/steps?limit=1`);
  expect(await call("GET", `${conversation}/steps/1`)).toMatchObject({ ordinal: 1 });
  expect(await call("GET", `${conversation}/tools`)).toContainEqual(
    expect.objectContaining({ name: "core_memory_append", approval: "setting" }),
  );
  const history = { conversation: id, rolePrefix: { user: "Ada", assistant: "Bo" } };
  expect((await call("POST", "/api/conversation-history", history)).text).toContain("Ada: Hi");
  await call("GET", `${agent}/recall?query=Hi&neighbours=1`);
  expect((await call("GET", `${agent}/recall/days?start=2020-01-01&end=2120-01-01`)).total).toBe(2);

  await waitingTurn(conversation);
  const { approvals } = await call("GET", `${conversation}/waiting`);
  expect(await call("GET", `${agent}/approvals`)).toEqual(approvals);
  expect(await call("POST", `${conversation}/calls/${approvals[0].callId}/approve`, {})).toContain(
    "event: memory-edit",
  );
  await waitingTurn(conversation);
  const waiting = await call("GET", `${conversation}/waiting`);
  const denied = { reason: "Not now." };
  expect(await call("POST", `${conversation}/calls/${waiting.approvals[0].callId}/deny`, denied)).toContain("Not now.");
  const clock = { name: "read_clock", description: "Reads the clock.", parameters: { type: "object", properties: {} } };
  await call("POST", `${conversation}/turns`, { messages: [{ text: "CALL read_clock {}" }], clientTools: [clock] });
  const { results } = await whenWaiting(conversation);
  const answers = [{ callId: results[0].callId, status: "ok", text: "noon", printed: { stdout: "tick", stderr: "" } }];
  expect(await call("POST", `${conversation}/results`, { results: answers, clientTools: [clock] })).toContain("noon");
  expect(await call("POST", `${conversation}/stop`, {})).toEqual({ isStopped: false });

  await call("POST", `${conversation}/compact`, { focus: "zebras" });
  await call("POST", `${conversation}/undo-compaction`, {});
  await call("POST", `${conversation}/switch`, { messageId: messages[1].id });
  await call("POST", `${conversation}/fork`, {});
  await call("DELETE", conversation);

  const schedule = await call("POST", `${agent}/schedules`, { text: "Good morning", cron: "0 9 * * *" });
  await call("GET", `${agent}/schedules`);
  await call("PATCH", `/api/schedules/${schedule.id as string}`, { text: "Good evening" });
  await call("GET", `/api/schedules/${schedule.id as string}/runs`);
  await call("DELETE", `/api/schedules/${schedule.id as string}`);
  await call("POST", "/api/forget/preview", { texts: ["Ada Lovelace"] });
  await call("POST", "/api/forget", { texts: ["Ada Lovelace"] });
  const passage = await call("POST", `${agent}/archive`, { text: "The bay is quiet." });
  const whole = await call("POST", "/api/forget/preview", { passages: [passage.id] });
  expect(whole.places).toMatchObject([{ kind: "passage", id: passage.id }]);
  await call("DELETE", agent);
});

test("routes about identities answer in their shape, and select by their query", async () => {
  const ada = await call("POST", "/api/identities", { key: "ada", name: "Ada", properties: [] });
  await call("POST", "/api/identities", { key: "acme", name: "Acme", kind: "org" });
  expect(ada).toMatchObject({ key: "ada", kind: "user", createdAt: expect.any(String) });
  const path = `/api/identities/${ada.id as string}`;
  expect(await call("PATCH", path, { name: "Ada L." })).toMatchObject({ name: "Ada L." });
  expect(await call("GET", path)).toMatchObject({ key: "ada" });
  const keys = async (query: string) =>
    (await call("GET", `/api/identities${query}`)).map((found: { key: string }) => found.key);
  expect(await keys("")).toEqual(["acme", "ada"]);
  expect(await keys("?order=oldest&limit=1")).toEqual(["ada"]);
  expect(await keys("?kind=org")).toEqual(["acme"]);
  expect(await keys(`?ids=${ada.id as string}`)).toEqual(["ada"]);
  await call("DELETE", path);
});

test("routes about MCP servers answer in their shape, and never with a secret", async () => {
  const mcp = await startHttpMcpServer();
  try {
    const headers = { Authorization: "Bearer good" };
    const added = await call("POST", "/api/mcp-servers", { name: "tickets", url: mcp.url, headers });
    expect(added).toMatchObject({ server: { headerNames: ["Authorization"] }, refresh: { problems: [] } });
    const path = `/api/mcp-servers/${added.server.id as string}`;
    expect(await call("GET", path)).toEqual(added.server);
    expect(await call("GET", "/api/mcp-servers")).toEqual([added.server]);
    expect(await call("PATCH", path, { metadata: { team: "desk" } })).toMatchObject({
      server: { metadata: { team: "desk" } },
    });
    expect(await call("POST", `${path}/refresh`, {})).toMatchObject({ added: [], problems: [] });
    const tools = await call("GET", `${path}/tools`);
    const echo = tools.find(({ served }: { served: { toolName: string } }) => served.toolName === "echo");
    expect(echo).toMatchObject({ kind: "mcp" });
    expect(await call("GET", "/api/tools")).toContainEqual(echo);
    const ran = await call("POST", `${path}/tools/${echo.name as string}/run`, { args: { word: "boat" } });
    expect(ran).toEqual({ status: "ok", text: expect.stringContaining("boat") });
    expect(JSON.stringify([added, tools])).not.toContain("good");
    await call("DELETE", path);
  } finally {
    await mcp.close();
  }
});

test("routes that change the thread answer in their shape", async () => {
  const agent = "/api/agents/editor";
  await call("POST", "/api/agents", { name: "editor", description: "Edits.", tags: ["a"], metadata: { x: 1 } });
  const { id } = await call("POST", `${agent}/conversations`, {});
  const conversation = `${agent}/conversations/${id as string}`;
  for (const text of ["One", "Two", "Three"]) {
    const { turnId } = await call("POST", `${conversation}/turns`, { messages: [{ text }] });
    await call("GET", `${conversation}/turns/${turnId as string}/events`);
  }
  await call("GET", conversation);
  const { messages } = await call("GET", `${conversation}/messages`);
  expect(await call("GET", `/api/messages/${messages[1].id as string}`)).toMatchObject({ conversationId: id });
  expect(await call("POST", `${conversation}/retry`, {})).toContain("event: turn-end");
  const regenerated = { messageId: messages[2].id, memory: "keep" };
  expect(await call("POST", `${conversation}/regenerate`, regenerated)).toContain("event: turn-end");
  expect(await call("POST", `${conversation}/rethink`, { text: "Aha." })).toMatchObject({ before: "Hm." });
  expect(await call("POST", `${conversation}/rewrite`, { text: "Better." })).toMatchObject({ after: "Better." });
  expect(await call("POST", `${conversation}/ask`, { question: "Why?" })).toMatchObject({ text: "Fine." });
  expect((await call("POST", `${conversation}/pop`, { count: 2 })).messages).toHaveLength(2);
  expect(await call("GET", `${conversation}/export`)).toHaveLength(2);
  expect(await call("POST", `${conversation}/raise`, { event: "heartbeat" })).toContain("event: turn-end");
  await call("POST", `${conversation}/clear-window`, {});
  expect(await call("GET", `${conversation}/compactions`)).toHaveLength(1);
  const at = "2026-01-02T03:04:05+01:00";
  await call("POST", `${agent}/conversations/import`, { title: "Old", messages: [{ role: "user", text: "Hi", at }] });
});

test("routes about what several agents use answer in their shape", async () => {
  const agent = "/api/agents/holder";
  await call("POST", "/api/agents", { name: "holder" });
  await call("PATCH", agent, { description: "Holds.", model: model.name });
  const file = await call("GET", `${agent}/file`);
  expect((await call("POST", "/api/agents/import", { file, suffix: "_copy" })).agents).toHaveLength(1);

  const { id } = await call("POST", "/api/modules", { label: "project", value: "Boats." });
  const module = `/api/modules/${id as string}`;
  expect(await call("GET", "/api/modules?label=project")).toHaveLength(1);
  expect(await call("PUT", `${agent}/held-modules/${id as string}`, {})).toEqual({ isChanged: true });
  expect(await call("GET", `${module}/holders`)).toHaveLength(1);
  await call("PATCH", module, { value: "Boats and tides." });
  expect(await call("GET", `${module}/revisions?limit=5`)).not.toHaveLength(0);
  await call("PUT", `${module}/recipients/bo`, { access: "read" });
  expect(await call("GET", `${module}/recipients`)).toMatchObject([{ userId: "bo", access: "read" }]);
  await call("DELETE", `${module}/recipients/bo`);
  expect(await call("DELETE", `${agent}/held-modules/${id as string}`)).toEqual({ isChanged: true });
  expect(await call("GET", module)).toMatchObject({ value: "Boats and tides." });
  await call("DELETE", module);

  const parameters = { type: "object", properties: {} };
  await call("POST", "/api/tools", { name: "ring", description: "Rings the bell.", parameters });
  const again = { name: "ring", description: "Rings the bell twice.", parameters };
  expect(await call("PUT", "/api/tools", again)).toMatchObject({ description: "Rings the bell twice." });
  await call("GET", "/api/tools?limit=5");
  expect(await call("GET", "/api/tools?name=ring")).toHaveLength(1);
  await call("GET", "/api/tools/ring");
  await call("PATCH", "/api/tools/ring", { description: "Rings it." });
  await call("GET", "/api/built-in-tools");
  expect(await call("PUT", `${agent}/tools/ring`, { requiresApproval: true })).toEqual({ isChanged: true });
  expect((await call("GET", `${agent}/tools`)).stored).toMatchObject([{ name: "ring", agentRequiresApproval: true }]);
  expect(await call("DELETE", `${agent}/tools/ring`)).toEqual({ isChanged: true });
  await call("DELETE", "/api/tools/ring");

  const memories = new FormData();
  memories.append("file", new File(['[{"id":"1","memory":"Sails on Sundays"}]'], "memories.json"));
  memories.append("form", "mem0");
  expect(await call("POST", `${agent}/imports`, memories)).toMatchObject({ added: { passages: 1 } });

  await call("POST", "/api/sources", { name: "books", description: "All books." });
  await call("GET", "/api/sources");
  await call("PATCH", "/api/sources/books", { name: "texts" });
  const form = new FormData();
  form.append("file", new File(["Moby Dick is about a whale."], "moby.txt"));
  expect(await call("POST", "/api/sources/texts/files", form)).toMatchObject({ added: 1 });
  expect(await call("GET", "/api/sources/texts/files")).toMatchObject([{ path: "moby.txt", status: "loaded" }]);
  expect(await call("PUT", `${agent}/sources/texts`, {})).toEqual({ isChanged: true });
  expect((await call("GET", "/api/sources/texts")).agents).toEqual(["holder"]);
  const [loaded] = (await call("GET", `${agent}/files`)) as unknown as readonly { readonly id: string }[];
  expect(await call("PUT", `${agent}/files/${loaded!.id}/open`, { from: 1 })).toEqual([]);
  expect(await call("GET", `${agent}/open-files`)).toMatchObject([{ id: loaded!.id, from: 1, total: 1 }]);
  expect(await call("DELETE", `${agent}/files/${loaded!.id}/open`)).toEqual([loaded!.id]);
  expect(await call("DELETE", `${agent}/sources/texts`)).toEqual({ isChanged: true });
  const added = await call("POST", "/api/sources/texts/passages", { text: "Ahab is its captain." });
  expect(await call("GET", "/api/sources/texts/passages?limit=5")).toHaveLength(2);
  expect(await call("GET", `/api/sources/texts/passages?after=${added.id as string}`)).toHaveLength(1);
  await call("PUT", `/api/sources/texts/passages/${added.id as string}/tags`, { tags: ["whales"] });
  await call("DELETE", `/api/sources/texts/passages/${added.id as string}`);
  await call("DELETE", "/api/sources/texts/files?path=moby.txt");
  await call("DELETE", "/api/sources/texts");
});

test("routes about sharing, keys and records answer in their shape", async () => {
  const other = host.forUser("bo");
  const lent = await other.agents.create({ name: "lent" });
  const spare = await other.agents.create({ name: "spare" });
  for (const name of ["lent", "spare"]) await other.agents.share(name, "ada");
  const lentModules = [];
  for (const label of ["plan", "draft"]) {
    const { id } = await other.modules.create({ label });
    await other.modules.share(id, "ada", "write");
    lentModules.push(id);
  }
  expect(await call("GET", "/api/agent-offers")).toHaveLength(2);
  await call("POST", `/api/agent-offers/${lent.id}/accept`, {});
  await call("POST", `/api/agent-offers/${spare.id}/decline`, {});
  await call("POST", `/api/agents/${lent.id}/conversations`, {});
  await call("POST", `/api/agents/${lent.id}/leave`, {});
  expect(await call("GET", "/api/former-agents")).toHaveLength(1);
  expect(await call("GET", "/api/module-offers")).toHaveLength(2);
  expect(await call("POST", `/api/module-offers/${lentModules[0]}/accept`, {})).toMatchObject({ access: "write" });
  await call("POST", `/api/module-offers/${lentModules[1]}/decline`, {});

  const agent = "/api/agents/recorder";
  await call("POST", "/api/agents", { name: "recorder" });
  await call("PUT", `${agent}/recipients/bo`, {});
  expect(await call("GET", `${agent}/recipients`)).toMatchObject([{ userId: "bo", state: "offered" }]);
  await call("DELETE", `${agent}/recipients/bo`);

  const created = await call("POST", "/api/keys", { name: "phone", scope: "chat", agent: "recorder" });
  expect(created.secret).toMatch(/^pk_/u);
  expect(await call("GET", "/api/keys")).toHaveLength(2);
  await call("DELETE", `/api/keys/${created.id as string}`);

  const { id } = await call("POST", `${agent}/conversations`, {});
  const conversation = `${agent}/conversations/${id as string}`;
  const { turnId } = await call("POST", `${conversation}/turns`, { messages: [{ text: "Hello" }] });
  await call("GET", `${conversation}/turns/${turnId as string}/events`);
  expect(await call("GET", `/api/turns?conversation=${id as string}&states=completed`)).toMatchObject([{ id: turnId }]);
  expect(await call("PATCH", `/api/turns/${turnId as string}`, { metadata: { a: 1 } })).toMatchObject({
    metadata: { a: 1 },
  });
  await call("GET", `/api/turns/${turnId as string}`);
  expect(await call("GET", `/api/turns/${turnId as string}/messages`)).toHaveLength(2);
  const [step] = await call("GET", `/api/turns/${turnId as string}/steps`);
  expect(await call("GET", `/api/steps/${step.id as string}`)).toEqual(step);
  expect(await call("GET", `${agent}/steps?order=newest`)).toHaveLength(1);
  expect(await call("GET", "/api/forgettings?limit=3")).toHaveLength(1);
  await call("POST", `${agent}/sweeps`, {});
  expect(await call("GET", `${agent}/sweeps`)).toHaveLength(1);
  await call("GET", `${agent}/synopsis`);
  await call("DELETE", `${agent}/synopsis`);
  await call("GET", `${agent}/context?query=Hello&maxTokens=500`);
  expect((await call("GET", "/api/models")).models).toContainEqual({ name: model.name, contextWindow: 100_000 });
  expect(await call("GET", "/api/prices?model=openai/gpt-unknown&model=demo")).toMatchObject([
    { model: "openai/gpt-unknown", price: null },
    { model: "demo" },
  ]);
  await call("GET", "/api/embedders");
  expect(await call("GET", "/api/embeddings?agents=recorder")).toMatchObject([{ searched: null, kept: null }]);
  expect(await call("POST", "/api/embeddings/drop-old", { agents: ["recorder"] })).toEqual({ agents: [], deleted: 0 });
  expect(await call("POST", "/api/embeddings/abandon", {})).toEqual({ agents: [], deleted: 0 });
  const refused = await ask("POST", "/api/embeddings/rollback", { key, body: {} });
  expect(JSON.parse(refused.text)).toMatchObject({ code: "reembedding_refused" });
  const without = await ask("POST", "/api/embeddings/reembed", { key, body: { to: "transformers/other" } });
  expect(JSON.parse(without.text)).toMatchObject({ code: "config_invalid" });
  expect(await call("GET", "/api/node-memories?ageMs=0")).toEqual([]);
  expect(await call("DELETE", "/api/node-memories?ageMs=0")).toEqual([]);
  await call("GET", "/api/usage");
});

test("consolidations", () => callConsolidations(call));

test("no route was left out", () => {
  // A turn to resume needs a failure (server.test.ts has one), and a synopsis a model that writes one.
  // Re-embedding and its rollback need embedders.
  const elsewhere = ["/resume", "post /agents/:agent/synopsis", "/embeddings/reembed", "/embeddings/rollback"];
  const all = apiDoor.routes.map(nameOf).filter((name) => !elsewhere.some((end) => name.endsWith(end)));
  expect([...called].sort()).toEqual(all.sort());
});

async function waitingTurn(conversation: string): Promise<void> {
  const text = 'CALL core_memory_append {"name":"human","content":"Likes boats."}';
  await call("POST", `${conversation}/turns`, { messages: [{ text }] });
  await whenWaiting(conversation);
}

async function whenWaiting(conversation: string) {
  for (;;) {
    const waiting = await call("GET", `${conversation}/waiting`);
    if (waiting.approvals.length + waiting.results.length > 0) return waiting;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
