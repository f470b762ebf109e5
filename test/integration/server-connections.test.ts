// What a server does for clients that it does not know, that are slow, or that have left; its log; and its end.
import { once } from "node:events";
import { Hono } from "hono";
import * as z from "zod";
import { systemClock } from "../../src/base/clock.ts";
import type { OpenForTurnOptions } from "../../src/runtime/agents/contract.ts";
import type { UserRuntime } from "../../src/runtime/runtime.ts";
import { createUnprovenConnections } from "../../src/surfaces/http/connection.ts";
import { createApp, type RequestLine } from "../../src/surfaces/http/create-app.ts";
import { problemOf, problems } from "../../src/surfaces/http/problem.ts";
import { route } from "../../src/surfaces/http/route.ts";
import { startServer } from "../../src/surfaces/http/serve.ts";
import { createUserShares, type ShareLimits } from "../../src/surfaces/http/user-shares.ts";
import { useDatabase } from "../support/database.ts";
import { createPausedModel, type PausedModel } from "../support/paused-model.ts";
import { connectRaw, headOf } from "../support/raw-client.ts";
import { serveTestHost, type ServedHost } from "../support/served-host.ts";

describe("a served host", () => {
  const database = useDatabase();
  let model: PausedModel;
  let served: ServedHost;
  const lines: RequestLine[] = [];
  /** The keys that were looked up. */
  const verified: string[] = [];

  beforeEach(async () => {
    model = createPausedModel();
    lines.splice(0);
    verified.splice(0);
    served = await open();
    await served.host.forUser("ada").agents.open("main", { create: { persona: "", human: "" } });
  });
  afterEach(async () => {
    model.go();
    await served.close();
    expect(served.failures).toEqual([]);
  });

  const open = (share: Partial<ShareLimits> = {}) =>
    serveTestHost(
      { model: model.name, models: [model] },
      { database, share, onRequest: (line) => lines.push(line), onVerify: (secret) => verified.push(secret) },
    );

  const get = (path: string, key: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${served.url}${path}`, { headers: { authorization: `Bearer ${key}`, ...headers } });

  test("wrong keys of an address are no longer looked up after twenty, and known keys are served as before", async () => {
    expect((await get("/api/agents", served.key)).status).toBe(200);
    verified.splice(0);
    const wrong = (number: number) => get("/api/agents", `pk_${String(number).padStart(43, "0")}`);
    const answers = await Promise.all(Array.from({ length: 60 }, (_, number) => wrong(number)));
    const statuses = answers.map(({ status }) => status);
    // At most two windows of ten seconds have begun.
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(40);
    expect(verified).toHaveLength(statuses.filter((status) => status === 401).length);
    const refused = answers.find(({ status }) => status === 429);
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await refused?.text()).toContain("Too many requests with a wrong key came from this address.");
    expect((await get("/api/agents", served.key)).status).toBe(200);
    // Another client of the same proxy.
    expect((await get("/api/agents", wrongKey, { "x-forwarded-for": "spoofed, 203.0.113.9" })).status).toBe(401);
  });

  const wrongKey = `pk_${"x".repeat(43)}`;

  test("many users behind one address are all let in at once", async () => {
    const keys = await Promise.all(
      Array.from(
        { length: 40 },
        async (_, number) => (await served.host.keys.create(`user-${number}`, { scope: "admin" })).secret,
      ),
    );
    const answers = await Promise.all(keys.map((key) => get("/api/agents", key)));
    expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 200));
  });

  test("a user who is beyond the rate is refused without a look at the database", async () => {
    await served.close();
    served = await open({ requestsPerMinute: 1 });
    const first = await get("/api/agents", served.key);
    // Each is held for a second before it is refused.
    const others = await Promise.all(Array.from({ length: 29 }, () => get("/api/agents", served.key)));
    const answered = [first, ...others].filter(({ status }) => status === 200).length;
    expect(answered).toBeLessThan(30);
    expect(verified).toHaveLength(answered);
  });

  test("a line of the log names user and key by their ids, and nothing that was sent", async () => {
    const [key] = await served.host.keys.list("ada");
    expect(served.key.startsWith(key?.prefix ?? "none")).toBe(true);
    await get("/api/agents/main/recall?query=secret-words", served.key);
    await get("/api/agents/main", wrongKey);
    await get("/api/usage", served.key);
    expect(lines).toMatchObject([
      { route: "/api/agents/:agent/recall", user: "ada", key: key?.id },
      { route: "/api/agents/:agent", status: 401, code: "key_invalid" },
      { route: "/api/usage", user: "ada", key: key?.id, status: 200 },
    ]);
    expect(Object.keys(lines[1] ?? {})).not.toContain("user");
    const text = JSON.stringify(lines);
    for (const hidden of ["secret-words", "main", served.key, wrongKey.slice(0, 12)])
      expect(text).not.toContain(hidden);
  });

  test("a HEAD request starts no stream of events: the key is not watched for it", async () => {
    const { conversationId } = await served.host.forUser("ada").agents.open("main");
    const path = `/api/agents/main/conversations/${conversationId}/turns`;
    const headers = { authorization: `Bearer ${served.key}`, "content-type": "application/json" };
    const body = JSON.stringify({ messages: [{ text: "Hi" }] });
    const started = await fetch(`${served.url}${path}`, { method: "POST", headers, body });
    const { turnId } = (await started.json()) as { readonly turnId: string };
    const events = `${path}/${turnId}/events`;
    const head = async (at: string) => (await fetch(`${served.url}${at}`, { method: "HEAD", headers })).status;
    expect([await head(events), await head("/api/agents/main")]).toEqual([404, 200]);
    const { secret: other } = await served.host.keys.create("ada", { scope: "read" });
    const stream = await get(events, other);
    verified.splice(0);
    // The key of an open stream is looked up once a second. A stream of the HEAD request would have begun before this one.
    while (verified.filter((secret) => secret === other).length < 2) await systemClock.sleep(50);
    expect(verified).not.toContain(served.key);
    await stream.body?.cancel();
  });

  test("a server that ends says so at /ready, refuses new requests, and answers the running ones", async () => {
    const headers = { authorization: `Bearer ${served.key}`, "content-type": "application/json" };
    const body = JSON.stringify({ model: "main", messages: [{ role: "user", content: "Hi" }] });
    const running = fetch(`${served.url}/openai/v1/chat/completions`, { method: "POST", headers, body });
    while (served.host.counters().turns.running === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    const closed = served.end({ graceMs: 60_000 });
    const ready = await fetch(`${served.url}/ready`);
    expect([ready.status, await ready.json()]).toEqual([503, { status: "closing" }]);
    const refused = await get("/api/agents", served.key);
    expect([refused.status, refused.headers.get("retry-after"), refused.headers.get("connection")]).toEqual([
      503,
      "1",
      "close",
    ]);
    expect(await refused.json()).toMatchObject({ code: "runtime_closing" });
    expect((await fetch(`${served.url}/health`)).status).toBe(200);
    model.go();
    const answer = await running;
    expect(await answer.text()).toContain("Hello and goodbye.");
    await closed;
    await expect(fetch(`${served.url}/ready`)).rejects.toThrow("fetch failed");
  });
});

test("a client that sends its headers slowly is cut off soon after the time is over", async () => {
  const server = await startServer(new Hono(), { hostname: "127.0.0.1", port: 0, headersMs: 200 });
  const client = await connectRaw(server.url);
  const silent = await connectRaw(server.url);
  client.send("GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ");
  const slowly = setInterval(() => client.send("x"), 50);
  const late = new AbortController();
  const tooLate = systemClock.sleep(15_000, late.signal).then(() => "still open");
  tooLate.catch(() => undefined);
  const both = Promise.all([client.closed, silent.closed]).then(() => "closed");
  expect(await Promise.race([both, tooLate])).toBe("closed");
  late.abort();
  clearInterval(slowly);
  expect(client.received()).toContain("408 Request Timeout");
  await server.close(async () => undefined);
});

describe("an app with one slow route", () => {
  const state = { reads: 0, release: (): void => undefined };
  const lines: RequestLine[] = [];
  const failures: unknown[] = [];
  /** Reads three times, and waits after the first. */
  const reading = route({
    method: "get",
    path: "/slow",
    summary: "Read slowly",
    scope: "read",
    output: z.array(z.unknown()),
    run: async ({ runtime }) => {
      await runtime.agents.list();
      await new Promise<void>((resolve) => (state.release = resolve));
      await runtime.agents.list();
      return runtime.agents.list();
    },
  });

  const started: (() => void)[] = [];
  /** Starts a turn, as far as the server knows. */
  const starting = route({
    method: "post",
    path: "/start",
    summary: "Start",
    scope: "chat",
    status: 202,
    output: z.null(),
    checksKey: true,
    run: async ({ runtime }) => {
      await runtime.agents.openForTurn("any");
      return null;
    },
  });

  async function open(connections = createUnprovenConnections(10)) {
    const openForTurn = async (_conversation: string, { inTurn }: OpenForTurnOptions): Promise<void> =>
      inTurn?.(() => new Promise((resolve) => started.push(resolve)));
    const agents = { list: async () => ((state.reads += 1), []), openForTurn };
    const runtime = { agents, models: {}, turns: { events: () => [] } } as unknown as UserRuntime;
    const door = { path: "/t", routes: [reading, starting], faults: problems } as const;
    const app = createApp({
      doors: [
        { ...door, writeFault: (fault, id) => ({ body: problemOf(fault, id) }), faultEvent: () => ({ data: null }) },
      ],
      version: "0.0.0",
      runtimeOf: () => runtime,
      health: () => Promise.reject(new Error("not asked")),
      isDraining: () => false,
      verify: async (secret) =>
        secret === "good" ? { userId: "ada", keyId: "key-1", scope: "chat", agentId: null } : null,
      shares: createUserShares({ requestsPerMinute: 100, requests: 5, streams: 5, bytes: 100 }, systemClock),
      connections,
      maxBodyBytes: 100,
      address: { isLoopback: true, origins: [] },
      clock: systemClock,
      onRequest: (line) => lines.push(line),
      onFailure: (_id, error) => failures.push(error),
    });
    return startServer(app, { hostname: "127.0.0.1", port: 0, onConnection: connections.add });
  }

  test("a read begins nothing more for a client that has left", async () => {
    const server = await open();
    const client = await connectRaw(server.url);
    client.send(headOf("GET", "/t/slow", { authorization: "Bearer good" }));
    while (state.reads === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    client.socket.destroy();
    await client.closed;
    // The server learns of it after this client does.
    await new Promise((resolve) => setTimeout(resolve, 100));
    state.release();
    while (lines.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(state.reads).toBe(1);
    expect(lines).toMatchObject([{ status: 499, code: "client_left", user: "ada", key: "key-1" }]);
    expect(failures).toEqual([]);
    await server.close(async () => undefined);
  });

  test("nothing is begun for a client that has left while its request waited for its turn", async () => {
    lines.length = 0;
    const server = await open();
    const clients = [];
    for (let number = 0; number < 3; number += 1) {
      const client = await connectRaw(server.url);
      client.send(headOf("POST", "/t/start", { authorization: "Bearer good", "content-length": 0 }));
      clients.push(client);
    }
    while (started.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    for (const { socket } of clients) socket.destroy();
    // The server learns of it after this client does.
    await new Promise((resolve) => setTimeout(resolve, 100));
    while (lines.length < 3) {
      for (const end of started) end();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(started).toHaveLength(2);
    expect(lines.filter(({ code }) => code === "client_left")).toHaveLength(1);
    expect(failures).toEqual([]);
    await server.close(async () => undefined);
  });

  test("the oldest connection without a valid key makes room for a new one; one with a key stays", async () => {
    const server = await open(createUnprovenConnections(2));
    const known = await connectRaw(server.url);
    known.send(headOf("GET", "/t/none", { authorization: "Bearer good" }));
    await known.until(/route_not_found/u);
    known.send(headOf("GET", "/t/slow", { authorization: "Bearer good" }));
    state.reads = 0;
    while (state.reads === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const first = await connectRaw(server.url);
    const others = [await connectRaw(server.url), await connectRaw(server.url)];
    await first.closed;
    state.release();
    await known.until(/\[\]/u);
    for (const { socket } of [known, ...others]) {
      socket.destroy();
      if (!socket.closed) await once(socket, "close");
    }
    await server.close(async () => undefined);
  });
});
