// Calls every route of `/api` once with success, and compares each response with the schema of its route.
import { createHost } from "../../src/compose.ts";
import type { Model, ModelEvent } from "../../src/llm/model.ts";
import { noUsage } from "../../src/message/message.ts";
import type { Host } from "../../src/runtime/host.ts";
import { apiDoor } from "../../src/server/api/api-door.ts";
import { createApp } from "../../src/server/create-app.ts";
import { EventStream } from "../../src/server/event-stream.ts";
import { createOpenStreams } from "../../src/server/open-streams.ts";
import type { Route } from "../../src/server/route.ts";
import { systemClock } from "../../src/base/clock.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

let database: TestDatabase;
let host: Host;
let app: ReturnType<typeof createApp>;
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

/** Answers a message "CALL name {json}" with that call, and everything else with text. */
const model: Model = {
  name: "calling",
  contextWindow: 100_000,
  async *stream({ messages }): AsyncGenerator<ModelEvent, void> {
    const last = messages.at(-1);
    const text =
      last?.role === "user" ? last.content.map((part) => (part.type === "text" ? part.text : "")).join("") : "";
    const match = /CALL (\w+) (\{.*\})/u.exec(text);
    if (match === null) yield { type: "text-delta", text: "Fine." };
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
  host = await createHost({ ...place, model: model.name, models: [model], embedder: null, timeZone: "UTC" });
  ({ secret: key } = await host.keys.create("ada"));
  app = createApp({
    doors: [{ ...apiDoor, routes: apiDoor.routes.map(checked) }],
    version: "0.0.0",
    runtimeOf: (userId) => host.forUser(userId),
    health: () => host.health(),
    verify: (secret) => host.keys.verify(secret),
    limits: { bodyBytes: 1_000_000, requestsPerMinute: 10_000 },
    address: { isLoopback: true, origins: [] },
    clock: systemClock,
    streams: createOpenStreams(),
    onRequest: () => undefined,
    onFailure: (_id, error) => {
      throw error;
    },
  });
});
afterAll(async () => {
  await host.close();
  await database.remove();
});

async function call(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
  const response = await app.request(`http://localhost${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, host: "localhost", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  expect({ method, path, status: response.status, text: response.status < 400 ? "" : text }).toMatchObject({
    text: "",
  });
  // oxlint-disable-next-line typescript/no-explicit-any -- the tests read what came, whatever it is
  return text === "" || text.startsWith(":") ? text : (JSON.parse(text) as any);
}

test("every route answers in its shape", async () => {
  const agent = "/api/agents/main";
  await call("POST", "/api/agents", {
    name: "main",
    human: "Name: Ada",
    settings: { approvals: ["core_memory_append"] },
  });
  await call("GET", "/api/agents");
  await call("GET", agent);
  await call("PATCH", `${agent}/settings`, { maxSteps: 7 });
  await call("PUT", `${agent}/system-prompt`, { text: "You are Bo." });
  await call("GET", `${agent}/modules`);
  await call("PUT", `${agent}/modules/human`, { value: "Name: Ada Lovelace" });
  await call("POST", `${agent}/remember`, { fact: "Likes zebras." });
  await call("GET", `${agent}/modules/human/diff?from=0&to=2`);
  await call("GET", `${agent}/modules/human/revisions/1`);
  await call("GET", `${agent}/modules/human/revisions/1/cause`);
  await call("GET", `${agent}/revisions?limit=5&label=human`);
  await call("POST", `${agent}/undo`, { label: "human" });

  await call("POST", `${agent}/archive`, { content: "The boat is blue.", tags: ["boat"] });
  const { rows } = await call("GET", `${agent}/archive`);
  await call("GET", `${agent}/archive/search?query=boat&tags=boat&tags=blue`);
  await call("DELETE", `${agent}/archive/${rows[0].id}`);

  const { id } = await call("POST", `${agent}/conversations`, { title: "A talk" });
  const conversation = `${agent}/conversations/${id as string}`;
  await call("GET", `${agent}/conversations?limit=5`);
  await call("PATCH", conversation, { title: null });
  const turn = await call("POST", `${conversation}/turns`, { messages: [{ text: "Hi", idempotencyKey: "1" }] });
  expect(await call("GET", `${conversation}/turns/${turn.turnId}/events?after=0`)).toContain("event: turn-end");
  const { messages } = await call("GET", `${conversation}/messages?limit=10`);
  expect(messages).toHaveLength(2);
  await call("GET", `${conversation}/branches`);
  await call("GET", `${conversation}/window`);
  await call("GET", `${conversation}/steps?limit=1`);
  await call("GET", `${agent}/recall?query=Hi&neighbours=1`);

  await waitingTurn(conversation);
  const { approvals } = await call("GET", `${conversation}/waiting`);
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
  const answers = [{ callId: results[0].callId, status: "ok", text: "noon" }];
  expect(await call("POST", `${conversation}/results`, { results: answers, clientTools: [clock] })).toContain("noon");
  expect(await call("POST", `${conversation}/stop`, {})).toEqual({ isStopped: false });

  await call("POST", `${conversation}/compact`, { focus: "zebras" });
  await call("POST", `${conversation}/undo-compaction`, {});
  await call("POST", `${conversation}/switch`, { messageId: messages[1].id });
  await call("POST", `${conversation}/fork`, {});
  await call("DELETE", conversation);

  const schedule = await call("POST", `${agent}/schedules`, { text: "Good morning", cron: "0 9 * * *" });
  await call("GET", `${agent}/schedules`);
  await call("GET", `/api/schedules/${schedule.id as string}/runs`);
  await call("DELETE", `/api/schedules/${schedule.id as string}`);
  await call("POST", "/api/forget/preview", { texts: ["Ada Lovelace"] });
  await call("POST", "/api/forget", { texts: ["Ada Lovelace"] });
  await call("DELETE", agent);

  // A turn to resume needs a failure: test/integration/server.test.ts has an interrupted one.
  const all = apiDoor.routes.map(nameOf).filter((name) => !name.endsWith("/resume"));
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
