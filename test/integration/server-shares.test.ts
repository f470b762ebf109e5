// The share of one user at each door: requests, bytes, streams and turns at a time, and what a body may be.
import { serveMcp } from "../../src/surfaces/cli/serve/serve-host.ts";
import type { World } from "../../src/surfaces/cli/world.ts";
import type { HostOptions } from "../../src/runtime/compose/compose.ts";
import type { ShareLimits } from "../../src/surfaces/http/user-shares.ts";
import { useDatabase } from "../support/database.ts";
import { connectRaw, headOf, type RawClient } from "../support/raw-client.ts";
import { createPausedModel, type PausedModel } from "../support/paused-model.ts";
import { serveTestHost, type ServedHost } from "../support/served-host.ts";

const database = useDatabase();
let model: PausedModel;
let served: ServedHost;
let place: { readonly agent: string; readonly conversation: string };
const raws: RawClient[] = [];
const leave = new AbortController();

async function open(share: Partial<ShareLimits>, options: Partial<HostOptions> = {}) {
  model = createPausedModel();
  const world = { version: "0.0.0", command: "palimpsest" } as World;
  served = await serveTestHost(
    { model: model.name, models: [model], ...options },
    { database, share, mcp: (request, memory) => serveMcp(world, request, memory) },
  );
  const runtime = served.host.forUser("ada");
  const { record, conversationId } = await runtime.agents.open("main", {
    conversation: "new",
    create: { persona: "", human: "" },
  });
  place = { agent: record.id, conversation: conversationId };
}

afterEach(async () => {
  model.go();
  for (const { socket } of raws.splice(0)) socket.destroy();
  await served.close();
  expect(served.failures).toEqual([]);
});
afterAll(async () => leave.abort());

const send = (method: string, path: string, body?: unknown, key = served.key) =>
  fetch(`${served.url}${path}`, {
    method,
    signal: leave.signal,
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });

async function raw(method: string, path: string, headers: Readonly<Record<string, string | number>>) {
  const client = await connectRaw(served.url);
  raws.push(client);
  client.send(headOf(method, path, { authorization: `Bearer ${served.key}`, ...headers }));
  return client;
}

const completion = (stream: boolean, content = "Hi") => ({
  model: "main",
  stream,
  messages: [{ role: "user", content }],
});
const message = (text = "Hi") => ({ messages: [{ text }] });
const conversationPath = () => `/api/agents/main/conversations/${place.conversation}`;

/** A request of each door whose answer can be a stream, and that starts a turn. */
const streams: readonly (readonly [string, (text?: string) => Promise<Response>])[] = [
  ["/api/chat", (text) => send("POST", "/api/chat/main", { id: "chat", messages: [said("1", text)] })],
  ["/v1", (input = "Hi") => send("POST", `/v1/agents/agent-${place.agent}/messages/stream`, { input })],
  ["/openai/v1/chat/completions", (text) => send("POST", "/openai/v1/chat/completions", completion(true, text))],
  [
    "/openai/v1/responses",
    (input = "Hi") => send("POST", "/openai/v1/responses", { model: "main", input, stream: true }),
  ],
];

const said = (id: string, text = "Hi") => ({ id, role: "user", parts: [{ type: "text", text }] });

async function refused(response: Response) {
  const text = await response.text();
  return { status: response.status, retryAfter: response.headers.get("retry-after"), text };
}

test("requests beyond the share are refused with the limit and a time, for this user only", async () => {
  await open({ requests: 2 });
  const held = [send("POST", "/openai/v1/chat/completions", completion(false))];
  held.push(send("POST", "/openai/v1/chat/completions", completion(false)));
  while (served.host.counters().turns.running < 2) await new Promise((resolve) => setTimeout(resolve, 10));
  const asked = performance.now();
  const { status, retryAfter, text } = await refused(await send("GET", "/api/agents"));
  expect([status, retryAfter]).toEqual([429, "1"]);
  // Its client cannot send another one meanwhile.
  expect(performance.now() - asked).toBeGreaterThan(900);
  expect(text).toContain("A user may have 2 requests at a time (`maxUserRequests`).");
  const { secret } = await served.host.keys.create("ben", { scope: "admin" });
  expect((await send("GET", "/api/agents", undefined, secret)).status).toBe(200);
  model.go();
  expect((await Promise.all(held)).map((response) => response.status)).toEqual([200, 200]);
  await Promise.all((await Promise.all(held)).map((response) => response.text()));
  expect((await send("GET", "/api/agents")).status).toBe(200);
});

test("a body beyond the share is refused before it is sent, whether its length is announced or not", async () => {
  await open({ bytes: 1500 });
  const first = await raw("POST", "/api/agents", { "content-length": 1000 });
  const second = await raw("POST", "/v1/agents/", { "content-length": 1000 });
  const refusal = await second.until(/\}$/u);
  expect(refusal).toContain("HTTP/1.1 429");
  expect(refusal).toContain("A user may have 1500 bytes of request bodies at a time (`maxUserMegabytes`).");
  const unannounced = await raw("POST", "/openai/v1/responses", { "transfer-encoding": "chunked" });
  unannounced.send(`300\r\n${"x".repeat(0x300)}\r\n`);
  expect(await unannounced.until(/\}$/u)).toContain("HTTP/1.1 429");
  first.socket.destroy();
  await first.closed;
  const allowed = await untilAllowed();
  expect(allowed).toBe(201);
});

/** The server learns of the client that has left after the test does. */
async function untilAllowed(): Promise<number> {
  for (;;) {
    const body = JSON.stringify({ name: "other", persona: "x".repeat(1000), human: "" });
    const { status } = await send("POST", "/api/agents", body);
    if (status !== 429) return status;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test("a body beyond the limit of one body is refused before it is sent", async () => {
  await open({});
  const large = await raw("POST", "/api/agents", { "content-length": 10_000_001 });
  expect(await large.until(/\}$/u)).toContain("HTTP/1.1 413");
});

test("no byte of a body is awaited before the key is known", async () => {
  await open({});
  const client = await connectRaw(served.url);
  raws.push(client);
  client.send(headOf("POST", "/api/agents", { authorization: "Bearer wrong", "content-length": 9_900_000 }));
  expect(await client.until(/\}$/u)).toContain("HTTP/1.1 401");
});

test("streams beyond the share are refused at every door, and start no turn", async () => {
  await open({ streams: 1 });
  const { turnId } = (await (await send("POST", `${conversationPath()}/turns`, message())).json()) as TurnStarted;
  const first = await send("GET", `${conversationPath()}/turns/${turnId}/events`);
  expect(first.status).toBe(200);
  const events = `${conversationPath()}/turns/${turnId}/events`;
  const mcp = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const doors: typeof streams = [
    ...streams,
    ["/api", () => send("GET", events)],
    ["/mcp", () => send("POST", "/mcp", mcp)],
  ];
  for (const [door, ask] of doors) {
    const { status, retryAfter, text } = await refused(await ask());
    expect([door, status, retryAfter]).toEqual([door, 429, "1"]);
    expect(text).toContain("A user may have 1 open streams (`maxUserStreams`).");
  }
  expect(served.host.counters().turns).toMatchObject({ running: 1, waiting: 0, refused: 0 });
  await first.body?.cancel();
  expect((await untilOpened(() => send("GET", events))).status).toBe(200);
});

interface TurnStarted {
  readonly turnId: string;
}

async function untilOpened(ask: () => Promise<Response>): Promise<Response> {
  for (;;) {
    const response = await ask();
    if (response.status !== 429) return response;
    await response.body?.cancel();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test("turns beyond the limit are refused at every door", async () => {
  await open({}, { maxConcurrentTurns: 1 });
  expect((await send("POST", `${conversationPath()}/turns`, message())).status).toBe(202);
  const { id } = await served.host.forUser("ada").conversations.create("main");
  const doors: typeof streams = [
    ...streams,
    ["/api", () => send("POST", `/api/agents/main/conversations/${id}/turns`, message())],
  ];
  for (const [door, ask] of doors) {
    const { status, retryAfter, text } = await refused(await ask());
    expect([door, status, retryAfter]).toEqual([door, 429, "1"]);
    expect(text).toContain("The user may have one turn at a time.");
  }
});

test("a turn that a limit refuses leaves no new conversation", async () => {
  await open({}, { maxConcurrentTurns: 1 });
  expect((await send("POST", `${conversationPath()}/turns`, message())).status).toBe(202);
  const { conversations } = served.host.forUser("ada");
  const ids = async () => (await conversations.list("main")).map(({ id }) => id);
  const before = await ids();
  for (const stream of [true, false]) {
    expect((await send("POST", "/openai/v1/chat/completions", completion(stream))).status).toBe(429);
    expect((await send("POST", "/openai/v1/responses", { model: "main", input: "Hi", stream })).status).toBe(429);
  }
  expect(await ids()).toEqual(before);
});

test("a message that is too long is refused at every door with the limit, and starts no turn", async () => {
  await open({});
  const text = "x".repeat(1_000_001);
  const doors: typeof streams = [
    ...streams,
    ["/api", () => send("POST", `${conversationPath()}/turns`, message(text))],
    ["/openai, whole", () => send("POST", "/openai/v1/chat/completions", completion(false, text))],
  ];
  for (const [door, ask] of doors) {
    const response = await ask(text);
    expect([door, response.status]).toEqual([door, 413]);
    expect(await response.text()).toContain("at most 1,000,000 characters for the text of a message, got 1,000,001");
  }
  expect(served.host.counters().turns).toMatchObject({ running: 0, waiting: 0 });
});

test("a system prompt that is too long is refused at every door with the limit", async () => {
  // In this window, no prompt of 1,000,001 characters is refused for its tokens.
  await open({}, { contextWindow: 2_000_000 });
  const text = "x".repeat(1_000_001);
  const agent = { name: "long", persona: "", human: "", systemPrompt: text };
  const made = { name: "long", memory_blocks: [], system: text };
  for (const [method, path, body, status] of [
    ["POST", "/api/agents", agent, 400],
    ["PUT", "/api/agents/main/system-prompt", { text }, 400],
    ["POST", "/v1/agents/", made, 400],
  ] as const) {
    const response = await send(method, path, body);
    expect([path, response.status]).toEqual([path, status]);
    expect(await response.text()).toContain("at most 1,000,000 characters, got 1,000,001");
  }
});

test("an agent is not created with a system prompt that is blank or fills its window", async () => {
  await open({}, { contextWindow: 10_000 });
  const create = (systemPrompt: string) =>
    send("POST", "/api/agents", { name: "long", persona: "", human: "", systemPrompt });
  expect(await (await create(" ")).text()).toContain("got a blank one");
  expect(await (await create("word ".repeat(20_000))).text()).toContain("fewer than 10000 tokens");
  expect((await create("You are Reed.")).status).toBe(201);
});

test("JSON with more than 500,000 values is refused", async () => {
  await open({});
  const list = `[${"0,".repeat(500_000)}0]`;
  for (const [path, status] of [
    ["/api/agents", 400],
    ["/v1/agents/", 422],
    ["/openai/v1/responses", 400],
    ["/mcp", 400],
  ] as const) {
    const response = await send("POST", path, list);
    expect([path, response.status]).toEqual([path, status]);
    if (path !== "/mcp") expect(await response.text()).toMatch(/(?:more than|at most) 500,000 values/u);
  }
});

test.each([
  ["items", `{"messages":[${"0,".repeat(499_990)}0]}`],
  ["parts", `{"id":"c","messages":[{"id":"1","role":"user","parts":[${"0,".repeat(400_000)}0]}]}`],
  ["tools", `{"messages":[{"text":"x"}],"clientTools":[{}${",0".repeat(400_000)}]}`],
  ["fields", `{${Array.from({ length: 50_000 }, (_, at) => `"f${at}":0`).join(",")}}`],
])("a body with very many invalid %s is refused with a short text", async (_what, body) => {
  await open({});
  for (const [path, status] of [
    [`${conversationPath()}/turns`, 400],
    ["/api/chat/main", 400],
    ["/api/agents/import", 400],
    [`/v1/agents/agent-${place.agent}/messages`, 422],
    ["/openai/v1/chat/completions", 400],
  ] as const) {
    const response = await send("POST", path, body);
    expect([path, response.status]).toEqual([path, status]);
    expect((await response.text()).length).toBeLessThan(100_000);
  }
});

test("a call over MCP with very many invalid tags is refused with a short text", async () => {
  await open({});
  const remember = { name: "remember", arguments: { text: "x", tags: Array(400_000).fill(0) } };
  const response = await send("POST", "/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params: remember });
  const text = await response.text();
  expect(text.slice(0, 10_000)).toContain("<=100 items");
  expect(text.length).toBeLessThan(100_000);
});

describe("JSON that is nested 100,000 times", () => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const deepObject = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;

  test.each([
    ["POST", "/api/agents", 400],
    ["POST", "/api/agents/import", 400],
    ["PUT", "/api/agents/main/modules/human", 400],
    ["POST", "/api/chat/main", 400],
    // As for other bodies that are not valid: Letta's server answers so.
    ["POST", "/v1/agents/", 422],
    ["POST", "/v1/agents/MAIN/messages", 422],
    ["POST", "/openai/v1/chat/completions", 400],
    ["POST", "/openai/v1/responses", 400],
    ["POST", "/mcp", 400],
  ])("%s %s refuses it", async (method, path, status) => {
    await open({});
    const at = path.replace("MAIN", `agent-${place.agent}`);
    for (const body of [deep, deepObject, `{"metadata":${deepObject}}`, `{"messages":${deep}}`])
      expect((await send(method, at, body)).status).toBe(status);
  });

  test.each([
    ["/v1/agents/import", "file"],
    ["/api/agents/main/imports", "file"],
  ])("a file at %s refuses it", async (path, field) => {
    await open({});
    for (const content of [deep, deepObject]) {
      const body = new FormData();
      body.set(field, new File([content], "deep.json", { type: "application/json" }));
      const headers = { authorization: `Bearer ${served.key}` };
      const { status } = await fetch(`${served.url}${path}`, { method: "POST", headers, body });
      expect([400, 422]).toContain(status);
    }
  });
});
