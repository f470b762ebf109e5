// The server over a real socket: keys, turns whose client leaves, limits, and shutdown.
import { request as httpRequest } from "node:http";
import { createHost } from "../../src/runtime/compose/compose.ts";
import type { RequestLine } from "../../src/surfaces/http/create-app.ts";
import { serve, type Served, type ServeOptions } from "../../src/surfaces/http/serve.ts";
import { placeOf, useDatabase } from "../support/database.ts";
import { createPausedModel, type PausedModel } from "../support/paused-model.ts";
import { apiDoor } from "../../src/surfaces/http/api/api-door.ts";

/** The secrets of the keys, by name. */
let secrets: Readonly<Record<string, string>>;

const database = useDatabase();
let served: Served;
let model: PausedModel;
let lines: RequestLine[];
const failures: unknown[] = [];

beforeAll(async () => {
  model = createPausedModel();
  const host = await openHost();
  secrets = {
    "ada-admin": (await host.keys.create("ada", { scope: "admin" })).secret,
    "ada-read": (await host.keys.create("ada", { scope: "read" })).secret,
    "ben-admin": (await host.keys.create("ben", { scope: "admin" })).secret,
  };
  await host.close();
});
beforeEach(async () => {
  model = createPausedModel();
  lines = [];
  served = await open();
});
afterEach(async () => {
  model.go();
  await served.close();
  expect(failures.splice(0)).toEqual([]);
});

async function open(options: Pick<Partial<ServeOptions>, "share" | "maxBodyBytes"> = {}) {
  const host = await openHost();
  return serve({
    host,
    verify: (secret) => host.keys.verify(secret),
    version: "0.0.0",
    hostname: "127.0.0.1",
    port: 0,
    onRequest: (line) => lines.push(line),
    onFailure: (_id, error) => failures.push(error),
    ...options,
  });
}

function openHost() {
  const place = placeOf(database);
  return createHost({ ...place, model: model.name, models: [model], embedder: null, timeZone: "UTC" });
}

async function call(method: string, path: string, { key = "ada-admin", body, headers = {} }: CallOptions = {}) {
  const response = await fetch(`${served.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${secrets[key] ?? key}`, ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: jsonOf(text) };
}

interface CallOptions {
  readonly key?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

// oxlint-disable-next-line typescript/no-explicit-any -- the tests compare what came, whatever it is
function jsonOf(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

let count = 0;

async function newConversation(key = "ada-admin") {
  const agent = `agent-${(count += 1)}`;
  const created = await call("POST", "/api/agents", { key, body: { name: agent, human: "Name: Ada" } });
  expect(created.status).toBe(201);
  const { json } = await call("POST", `/api/agents/${agent}/conversations`, { key, body: { title: "A talk" } });
  const path = `/api/agents/${agent}/conversations/${json.id as string}`;
  return { agent, agentId: created.json.id as string, conversation: json.id as string, path };
}

async function startTurn(path: string, idempotencyKey = "k1") {
  const { status, json } = await call("POST", `${path}/turns`, {
    body: { messages: [{ text: "Hi", idempotencyKey }] },
  });
  expect(status).toBe(202);
  return json.turnId as string;
}

/** Reads server-sent events until `enough` says so, then leaves. */
async function readEvents(path: string, enough: (types: readonly string[]) => boolean, headers = {}) {
  const leave = new AbortController();
  const response = await fetch(`${served.url}${path}`, {
    headers: { authorization: `Bearer ${secrets["ada-admin"]}`, ...headers },
    signal: leave.signal,
  });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  let text = "";
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      if (enough(typesOf(text))) break;
    }
  } finally {
    leave.abort();
  }
  const ids = [...text.matchAll(/^id: (\d+)$/gmu)].map(([, id]) => Number(id));
  return { types: typesOf(text), ids };
}

const typesOf = (text: string) => [...text.matchAll(/^event: (\S+)\n/gmu)].map(([, type]) => type as string);

describe("keys", () => {
  test("without a key, and with an unknown one, nothing is answered but health and the document", async () => {
    expect((await fetch(`${served.url}/health`)).status).toBe(200);
    expect((await fetch(`${served.url}/ready`)).status).toBe(200);
    const missing = await fetch(`${served.url}/api/agents`);
    expect([missing.status, missing.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    expect(missing.headers.get("content-type")).toBe("application/problem+json");
    expect(await missing.json()).toMatchObject({ status: 401, code: "key_missing" });
    expect((await call("GET", "/api/agents", { key: "nobody" })).json).toMatchObject({ code: "key_invalid" });
  });

  test("a key of scope read reads, and changes nothing", async () => {
    const { agent } = await newConversation();
    expect((await call("GET", `/api/agents/${agent}/modules`, { key: "ada-read" })).status).toBe(200);
    const refused = await call("PUT", `/api/agents/${agent}/modules/human`, { key: "ada-read", body: { value: "x" } });
    expect([refused.status, refused.json.code]).toEqual([403, "key_scope"]);
    const { json } = await call("GET", `/api/agents/${agent}/modules`);
    expect(json.find((module: { label: string }) => module.label === "human").value).toBe("Name: Ada");
  });

  test("a key of scope read may use every route of that scope", async () => {
    const { agent, conversation } = await newConversation();
    const named: Readonly<Record<string, string>> = { agent, conversation };
    const routes = apiDoor.routes.filter(({ method, scope }) => method === "get" && scope === "read");
    expect(routes.length).toBeGreaterThan(50);
    for (const { path } of routes) {
      const own = path.replaceAll(
        /:(\w+)/gu,
        (_all, name: string) => named[name] ?? "0198f1f0-0000-7000-8000-000000000000",
      );
      for (const query of ["", "?query=x", "?ageMs=0"]) {
        const { json } = await call("GET", `/api${own}${query}`, { key: "ada-read" });
        expect({ path, code: json?.code }).not.toEqual({ path, code: "key_scope" });
      }
    }
  });
});

describe("turns", () => {
  test("a client that leaves stops nothing, and reads the rest with the number of the last event", async () => {
    const { path } = await newConversation();
    const turn = await startTurn(path);
    const first = await readEvents(`${path}/turns/${turn}/events`, (types) => types.includes("text-delta"));
    model.go();
    const rest = await readEvents(`${path}/turns/${turn}/events`, (types) => types.includes("turn-end"), {
      "last-event-id": String(first.ids.at(-1)),
    });
    const ids = [...first.ids, ...rest.ids];
    expect(ids).toEqual(ids.map((_id, index) => index + 1));
    const { json } = await call("GET", `${path}/messages`);
    expect(json.messages.map(({ text }: { text: string }) => text)).toEqual(["Hi", "Hello and goodbye."]);
  });

  test("a repeated key joins the turn", async () => {
    const { path } = await newConversation();
    const turn = await startTurn(path, "same");
    expect(await startTurn(path, "same")).toBe(turn);
    model.go();
    await readEvents(`${path}/turns/${turn}/events`, (types) => types.includes("turn-end"));
    expect(await startTurn(path, "same")).toBe(turn);
    expect((await call("GET", `${path}/messages`)).json.messages).toHaveLength(2);
  });

  test("stop ends the turn and keeps what was streamed", async () => {
    const { path } = await newConversation();
    const turn = await startTurn(path);
    await readEvents(`${path}/turns/${turn}/events`, (types) => types.includes("text-delta"));
    expect((await call("POST", `${path}/stop`, { body: {} })).json).toEqual({ isStopped: true });
    await readEvents(`${path}/turns/${turn}/events`, (types) => types.includes("turn-end"));
    const { json } = await call("GET", `${path}/messages`);
    expect(json.messages.at(-1)).toMatchObject({ text: "Hello", status: "interrupted" });
  });

  test("an error before the first event has its status, not a stream", async () => {
    const { path } = await newConversation();
    const refused = await call("POST", `${path}/calls/none/approve`, { body: {} });
    expect([refused.status, refused.json.code]).toEqual([409, "approval_not_found"]);
    const unknown = await call("GET", `${path}/turns/0198f1f0-0000-7000-8000-000000000000/events`);
    expect([unknown.status, unknown.json.code]).toEqual([404, "turn_not_found"]);
  });

  test("closing hands a turn over after the grace period and ends its stream, and the next server continues it", async () => {
    const { path } = await newConversation();
    const turn = await startTurn(path);
    const reading = readEvents(`${path}/turns/${turn}/events`, (types) => types.includes("turn-end"));
    await readEvents(`${path}/turns/${turn}/events`, (types) => types.includes("text-delta"));
    await served.close({ graceMs: 50 });
    const before = await reading;
    // A server that has no time left for its readers says so.
    expect(before.types.filter((type) => type !== "error")).toEqual(["turn-start", "step-start", "text-delta"]);
    expect(before.types.indexOf("error")).toBe(before.types.length > 3 ? 3 : -1);
    model = createPausedModel();
    model.go();
    served = await open();
    const after = await readEvents(`${path}/turns/${turn}/events?after=3`, (types) => types.includes("turn-end"));
    expect(after.types).toEqual(["turn-start", "step-start", "text-delta", "text-delta", "step-end", "turn-end"]);
    const { json } = await call("GET", `${path}/messages`);
    expect(json.messages.at(-1)).toMatchObject({ text: "Hello and goodbye.", status: "complete" });
  });
});

describe("bad input", () => {
  test("a change of an agent that is refused changes nothing of it", async () => {
    const [{ agent }, other] = [await newConversation(), await newConversation()];
    const path = `/api/agents/${agent}`;
    const { json: before } = await call("GET", path);
    const refusals = [
      [{ name: other.agent }, 409, "agent_exists"],
      [{ tags: [" "] }, 400, "input_invalid"],
      [{ model: "nothing/x" }, 400, "config_invalid"],
    ] as const;
    for (const [part, status, code] of refusals) {
      const refused = await call("PATCH", path, { body: { model: "demo", description: "Sails.", ...part } });
      expect([refused.status, refused.json.code]).toEqual([status, code]);
      expect((await call("GET", path)).json).toEqual(before);
    }
    const changed = await call("PATCH", path, { body: { model: "demo", name: `${agent}-new`, description: "Sails." } });
    expect(changed.json).toMatchObject({ model: "demo", name: `${agent}-new`, description: "Sails." });
  });

  test.each([
    ["no JSON", { body: "{" }, 400, "body"],
    ["a wrong type", { body: { name: 5 } }, 400, "body.name"],
    ["an unknown field", { body: { name: "x", modle: "demo" } }, 400, "body"],
    ["a missing field", { body: {} }, 400, "body.name"],
  ])("%s is refused with the field", async (_what, options, status, field) => {
    const { status: got, json } = await call("POST", "/api/agents", options);
    expect([got, json.code, json.errors[0].field]).toEqual([status, "request_invalid", field]);
    expect(json.detail).not.toBe("");
  });

  test("an unknown route names the document", async () => {
    const { status, json } = await call("GET", "/api/nonsense");
    expect([status, json.code]).toEqual([404, "route_not_found"]);
    expect(json.detail).toContain("/api/openapi.json");
  });

  test("a body above the limit is refused", async () => {
    await served.close();
    served = await open({ maxBodyBytes: 100 });
    const { status, json } = await call("POST", "/api/agents", { body: { name: "x".repeat(200) } });
    expect([status, json.code]).toEqual([413, "body_too_large"]);
  });

  test("requests above the rate are refused with the time to wait", async () => {
    await served.close();
    served = await open({ share: { requestsPerMinute: 1 } });
    const answers = await Promise.all([1, 2, 3].map(() => call("GET", "/api/agents")));
    const refused = answers.filter(({ status }) => status === 429);
    // A minute may begin between the requests.
    expect(refused.length).toBeGreaterThan(0);
    expect(Number(refused[0]?.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  test("other host names and foreign origins are refused on loopback", async () => {
    // `fetch` does not let a caller set the header Host.
    const status = await new Promise<number>((resolve, reject) => {
      const headers = { host: "evil.example", authorization: `Bearer ${secrets["ada-admin"]}` };
      const sent = httpRequest(`${served.url}/api/agents`, { headers }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      sent.on("error", reject).end();
    });
    expect(status).toBe(403);
    const foreign = await call("GET", "/api/agents", { headers: { origin: "https://evil.example" } });
    expect([foreign.status, foreign.json.code]).toEqual([403, "host_refused"]);
  });
});

test("a key of one agent reaches only that agent", async () => {
  const mine = await newConversation();
  const other = await newConversation();
  const { runtime, close } = await openAda();
  const { secret } = await runtime.keys.create({ agent: mine.agent, scope: "admin" });
  await close();
  const get = (path: string) => call("GET", path, { key: secret });
  expect((await get(`/api/agents/${mine.agent}/modules`)).status).toBe(200);
  for (const path of [`/api/agents/${other.agent}/modules`, "/api/usage"]) {
    expect((await get(path)).json.code).toBe("key_scope");
  }
  const listed = (await get("/api/agents")).json as unknown as readonly { readonly name: string }[];
  expect(listed.map(({ name }) => name)).toEqual([mine.agent]);
});

async function openAda() {
  const host = await openHost();
  return { runtime: host.forUser("ada"), close: () => host.close() };
}

test("the log names routes and request ids, and nothing that was sent", async () => {
  const { agent, path } = await newConversation();
  await call("GET", `${path}/messages`, { headers: { "x-request-id": "my-id" } });
  const line = lines.at(-1);
  expect(line).toMatchObject({
    requestId: "my-id",
    method: "GET",
    route: "/api/agents/:agent/conversations/:conversation/messages",
    level: "info",
    status: 200,
  });
  expect(JSON.stringify(lines)).not.toContain(agent);
});
