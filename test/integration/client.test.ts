// `palimpsest/client` against a real server: results, refusals, files, and turns over connections that fail.
import {
  createServer,
  type IncomingMessage,
  request as httpRequest,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import type { AgentEvent } from "../../src/agent/events.ts";
import { createHost } from "../../src/runtime/compose/compose.ts";
import { ApiError, createClient } from "../../src/exports/client.ts";
import type { Model } from "../../src/model/llm/model.ts";
import { noUsage } from "../../src/base/message/message.ts";
import { replayRun } from "../../src/exports/ai-sdk.ts";
import { serve, type Served } from "../../src/surfaces/http/serve.ts";
import { createTestDatabase, placeOf, type TestDatabase } from "../support/database.ts";

let database: TestDatabase;
let served: Served;
let key: string;
let calls = 0;
/** The first call of a test stops after ten words, until it is aborted. */
let isFirstHeld = false;

const words = Array.from({ length: 40 }, (_, at) => `word${at} `);

/** Says forty words, slowly enough that a connection can fail between two. */
const model: Model = {
  name: "talking",
  contextWindow: 100_000,
  async *stream(_request, { signal }) {
    calls += 1;
    for (const [at, text] of words.entries()) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (isFirstHeld && calls === 1 && at === 10)
        await new Promise((resolve) => signal?.addEventListener("abort", resolve, { once: true }));
      signal?.throwIfAborted();
      yield { type: "text-delta", text };
    }
    yield { type: "end", stopReason: "end", usage: noUsage };
  },
};

beforeAll(async () => {
  database = await createTestDatabase();
  served = await open(0);
});
afterAll(async () => {
  await served.close();
  await database.remove();
});
beforeEach(() => {
  calls = 0;
  isFirstHeld = false;
});

async function open(port: number, options: { readonly keepEventsMinutes?: number } = {}): Promise<Served> {
  const settings = { ...placeOf(database), ...options, model: model.name, models: [model] };
  const host = await createHost({ ...settings, embedder: null, timeZone: "UTC" });
  key ??= (await host.keys.create("ada", { scope: "admin" })).secret;
  return serve({
    host,
    verify: (secret) => host.keys.verify(secret),
    version: "0.0.0",
    hostname: "127.0.0.1",
    port,
    onRequest: () => undefined,
    onFailure: (_id, error) => {
      throw error;
    },
  });
}

const client = () => createClient({ url: served.url, key });

async function newConversation(agent: string) {
  const { id: conversation } = await client().call("POST /agents/:agent/conversations", {
    params: { agent },
    body: {},
  });
  return { agent, conversation };
}

test("a call has the JSON of its route, with numbers and flags in the query", async () => {
  const created = await client().call("POST /agents", {
    body: { name: "typed", tags: ["a", "b"], human: "Name: Ada" },
  });
  expect(created).toMatchObject({ name: "typed", tags: ["a", "b"] });
  expect(await client().call("GET /agents", { query: { tags: ["a"], limit: 1 } })).toMatchObject([{ name: "typed" }]);
  const found = { params: { agent: "typed" }, query: { query: "Ada", neighbours: 1, includeAbandoned: true } };
  expect(await client().call("GET /agents/:agent/recall", found)).toMatchObject({ total: 0 });
  expect(await client().call("GET /usage")).toMatchObject({ agents: 1 });
  expect(await client().call("DELETE /agents/:agent", { params: { agent: "typed" } })).toBeNull();
});

test("a name with a slash or a space is one part of the path", async () => {
  await client().call("POST /agents", { body: { name: "a b?c" } });
  expect(await client().call("GET /agents/:agent", { params: { agent: "a b?c" } })).toMatchObject({ name: "a b?c" });
  const missing = client().call("GET /agents/:agent", { params: { agent: "ben/main" } });
  await expect(missing).rejects.toMatchObject({ code: "agent_not_found", status: 404 });
});

test("a refusal is an ApiError with the code, the fields and the request's id", async () => {
  const failure: unknown = await client()
    // @ts-expect-error -- a number where the route takes a text
    .call("POST /agents", { body: { name: 5 } })
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ApiError);
  expect(failure).toMatchObject({
    status: 400,
    code: "request_invalid",
    requestId: expect.stringMatching(/^[\w-]{36}$/u),
    fields: [{ field: "body.name", message: expect.stringContaining("expected string") }],
  });
  const unknown = createClient({ url: served.url, key: "pk_unknown" }).call("GET /agents");
  await expect(unknown).rejects.toMatchObject({ status: 401 });
});

test("a damaged export is refused with what was stored before", async () => {
  await client().call("POST /agents", { body: { name: "importer", persona: "", human: "" } });
  const text = JSON.stringify([{ id: "1", memory: "Sails on Sundays" }, { id: "2" }]);
  const file = new File([text.slice(0, -3)], "memories.json");
  const sent = client().call("POST /agents/:agent/imports", {
    params: { agent: "importer" },
    body: { file, form: "mem0" },
  });
  await expect(sent).rejects.toMatchObject({
    status: 400,
    code: "import_invalid",
    message: expect.stringContaining("Stored before the error: 1 passage."),
  });
  const whole = { file: new File([text], "memories.json"), form: "mem0", dryRun: "true" } as const;
  expect(
    await client().call("POST /agents/:agent/imports", { params: { agent: "importer" }, body: whole }),
  ).toMatchObject({ found: { passages: 1 }, added: { passages: 0 } });
});

test("a route that does not exist is none for the compiler either", async () => {
  // @ts-expect-error -- there is no such route
  await expect(client().call("POST /nothing")).rejects.toMatchObject({ status: 404, code: "route_not_found" });
});

test("a file is sent as a form", async () => {
  await client().call("POST /sources", { body: { name: "books" } });
  const file = new File(["Moby Dick is about a whale."], "moby.txt");
  const loaded = await client().call("POST /sources/:source/files", { params: { source: "books" }, body: { file } });
  expect(loaded).toMatchObject({ added: 1, source: { name: "books", files: 1 } });
});

describe("send", () => {
  beforeAll(() => client().call("POST /agents", { body: { name: "main" } }));

  async function textOf(events: AsyncIterable<AgentEvent>) {
    const seen: AgentEvent[] = [];
    for await (const event of events) seen.push(event);
    expect(seen.map(({ sequence }) => sequence)).toEqual(seen.map((_, at) => at + 1));
    expect(seen.at(-1)?.type).toBe("turn-end");
    return replayRun(seen)
      .map((event) => (event.type === "text-delta" ? event.text : ""))
      .join("");
  }

  test("yields the events of the turn", async () => {
    const place = await newConversation("main");
    expect(await textOf(client().send(place, { messages: [{ text: "Hi" }] }))).toBe(words.join(""));
  });

  test("yields each event once over connections that fail, and begins one turn", async () => {
    const place = await newConversation("main");
    const unsteady = await startUnsteadyProxy(served.url);
    const through = createClient({ url: unsteady.url, key });
    expect(await textOf(through.send(place, { messages: [{ text: "Hi" }] }))).toBe(words.join(""));
    expect([calls, unsteady.cuts() > 3]).toEqual([1, true]);
    await unsteady.close();
  });

  test("begins one turn for a message with an undefined idempotency key, too", async () => {
    const place = await newConversation("main");
    let requests = 0;
    const losing: typeof fetch = async (...request) => {
      const response = await fetch(...request);
      requests += 1;
      if (requests > 1) return response;
      await response.body?.cancel();
      throw new TypeError("The connection was lost before the answer.");
    };
    const through = createClient({ url: served.url, key, fetch: losing });
    const message = { text: "Hi", idempotencyKey: undefined };
    expect(await textOf(through.send(place, { messages: [message] }))).toBe(words.join(""));
    expect([calls, requests]).toEqual([1, 2]);
  });

  test("goes on with the events of a server that was started again", async () => {
    isFirstHeld = true;
    const place = await newConversation("main");
    const port = Number(new URL(served.url).port);
    async function* restarting(events: AsyncIterable<AgentEvent>) {
      let texts = 0;
      for await (const event of events) {
        yield event;
        if (event.type === "text-delta" && (texts += 1) === 3) {
          await served.close({ graceMs: 0 });
          served = await open(port);
        }
      }
    }
    const text = await textOf(restarting(client().send(place, { messages: [{ text: "Hi" }] })));
    // The server that closed handed the turn over; the next one continues it.
    expect([calls, text]).toEqual([2, words.join("")]);
    const { messages } = await client().call("GET /agents/:agent/conversations/:conversation/messages", {
      params: place,
    });
    expect(messages.map((message) => message.text)).toEqual(["Hi", words.join("")]);
  });

  test("ends with the signal, and the turn goes on", async () => {
    const place = await newConversation("main");
    const ending = new AbortController();
    const read = textOf(client().send(place, { messages: [{ text: "Hi" }] }, { signal: ending.signal }));
    setTimeout(() => ending.abort(new Error("The reader left.")), 60);
    await expect(read).rejects.toThrow("The reader left.");
    await expect(untilCompleted(place.conversation)).resolves.toBe("completed");
  });

  test("a refusal is not repeated", async () => {
    const place = { agent: "main", conversation: "0198f1f0-0000-7000-8000-000000000000" };
    const send = textOf(client().send(place, { messages: [{ text: "Hi" }] }));
    await expect(send).rejects.toMatchObject({ code: "conversation_not_found" });
  });

  test("waits as long as the server asks for, and throws the error of the tenth attempt", async () => {
    let attempts = 0;
    const busy = async () => {
      attempts += 1;
      return new Response(`Proxy error ${attempts}`, { status: 503, headers: { "retry-after": "0" } });
    };
    const client = createClient({ url: served.url, key, fetch: busy });
    const send = textOf(client.send({ agent: "main", conversation: "c" }, { messages: [{ text: "Hi" }] }));
    await expect(send).rejects.toMatchObject({ code: "http_error", status: 503, retryAfterMs: 0 });
    expect(attempts).toBe(10);
  });

  test.each([
    ["ends with a pause", ["awaiting-reply"]],
    ["goes on after a pause", ["awaiting-reply", "end-turn"]],
  ])("yields all events of a stream that %s", async (_case, reasons) => {
    const ends = reasons.map((stopReason, at) => ({ type: "turn-end", turnId: "t", sequence: at + 1, stopReason }));
    const lines = ends.map((end) => JSON.stringify(end));
    const streaming = async () => new Response(lines.map((line) => `data: ${line}\n\n`).join(""));
    const client = createClient({ url: served.url, key, fetch: streaming });
    const seen: unknown[] = [];
    for await (const event of client.send({ agent: "main", conversation: "c" }, { messages: [{ text: "Hi" }] }))
      seen.push(event);
    expect(seen).toEqual(ends);
  });

  test("yields the events of a server that does not store them, and refuses a repeated key there", async () => {
    const place = await newConversation("main");
    const forgetful = await open(0, { keepEventsMinutes: 0 });
    const through = createClient({ url: forgetful.url, key });
    const turn = { messages: [{ text: "Hi", idempotencyKey: "once" }] };
    expect(await textOf(through.send(place, turn))).toBe(words.join(""));
    await expect(textOf(through.send(place, turn))).rejects.toMatchObject({ code: "input_repeated", status: 409 });
    expect(calls).toBe(1);
    await forgetful.close();
  });

  test("throws the refusal of a server that asks for a wait of more than a minute", async () => {
    let attempts = 0;
    const refusing = async () => {
      attempts += 1;
      const refusal = { code: "user_limit_reached", status: 429, details: { limit: "daily-tokens" } };
      return Response.json(refusal, { status: 429, headers: { "retry-after": "61" } });
    };
    const client = createClient({ url: served.url, key, fetch: refusing });
    const send = textOf(client.send({ agent: "main", conversation: "c" }, { messages: [{ text: "Hi" }] }));
    const refusal = { code: "user_limit_reached", details: { limit: "daily-tokens" }, retryAfterMs: 61_000 };
    await expect(send).rejects.toMatchObject(refusal);
    expect(attempts).toBe(1);
  });
});

async function untilCompleted(conversation: string): Promise<string> {
  for (;;) {
    const [turn] = await client().call("GET /turns", { query: { conversation } });
    if (turn !== undefined && turn.state !== "running") return turn.state;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

interface UnsteadyProxy {
  readonly url: string;
  cuts(): number;
  close(): Promise<void>;
}

/** Passes requests on, refuses every third one, and cuts each stream after 1,500 bytes. */
async function startUnsteadyProxy(target: string): Promise<UnsteadyProxy> {
  let requests = 0;
  let cuts = 0;
  const server: Server = createServer((request: IncomingMessage, response: ServerResponse) => {
    requests += 1;
    if (requests % 3 === 1) {
      cuts += 1;
      response.destroy();
      return;
    }
    const passed = httpRequest(new URL(request.url ?? "/", target), {
      method: request.method,
      headers: request.headers,
    });
    passed.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      let room = 1_500;
      answer.on("data", (chunk: Buffer) => {
        const part = chunk.subarray(0, room);
        room -= part.length;
        response.write(part, () => {
          if (room > 0 || response.destroyed) return;
          cuts += 1;
          response.destroy();
          passed.destroy();
        });
      });
      answer.on("end", () => response.end());
    });
    passed.on("error", () => response.destroy());
    request.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cuts: () => cuts,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
