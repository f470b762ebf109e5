// A host on the caller's own pool: the driver is the caller's, and everything else is as with a URL.
import pg from "pg";
import { createHost, type HostOptions } from "../../src/runtime/compose/compose.ts";
import { createScriptedModel, type ScriptedReply } from "../../src/model/llm/scripted/scripted-model.ts";
import { openStore } from "../../src/store/open-store.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { onEngine } from "../support/on-engine.ts";
import { drain, lastOf } from "../support/runtime.ts";
import { createWordEmbedder } from "../support/word-embedder.ts";

const usage = { inputTokens: 100, outputTokens: 5, cachedInputTokens: 0 };

onEngine("server", "the caller's pool connects to a server")("a host on the caller's pool", () => {
  let database: TestDatabase;
  let url: string;
  let pool: pg.Pool;

  beforeEach(async () => {
    database = await createTestDatabase();
    if (database.connection.kind !== "server") throw new Error("Expected a server.");
    ({ url } = database.connection);
    pool = new pg.Pool({ connectionString: url, max: 3 });
    pool.on("error", () => undefined);
  });
  afterEach(async () => {
    await pool.end();
    await database.remove();
  });

  const openHost = (replies: readonly ScriptedReply[], options: HostOptions = {}) =>
    createHost({ pool, model: "scripted", models: [createScriptedModel({ replies })], timeZone: "UTC", ...options });

  it("runs turns with tools, finds texts by words and by meaning, and leaves the pool open", async () => {
    const appends = { name: "core_memory_append", arguments: { name: "human", content: "Likes tea." } };
    const inserts = { name: "archival_memory_insert", arguments: { content: "The harbour opens at dawn." } };
    const host = await openHost(
      [
        { toolCalls: [appends, inserts], usage },
        { text: "Noted.", usage },
      ],
      { embedder: createWordEmbedder("words", 16) },
    );
    const ada = host.forUser("ada");
    const agent = await ada.agents.open("diary", { create: {} });
    expect((await lastOf(agent.send("I like tea."))).text).toBe("Noted.");
    expect(JSON.stringify(agent.memory)).toContain("Likes tea.");
    await ada.idle();
    expect((await ada.archival.search("diary", "harbour")).total).toBe(1);
    expect((await ada.recall.search("diary", "tea")).total).toBeGreaterThan(0);
    expect((await agent.steps())[0]).toMatchObject({ usage, at: expect.any(Date) });
    expect(await host.forUser("ben").agents.list()).toEqual([]);
    await host.close();
    expect((await pool.query("select count(*)::int as n from messages")).rows).toEqual([{ n: 5 }]);
    expect([pool.totalCount, pool.idleCount]).toEqual([pool.idleCount, pool.totalCount]);
  });

  it("serves more users at once than the pool has connections, beside the caller's own queries", async () => {
    const users = Array.from({ length: 12 }, (_, index) => `user-${index}`);
    const host = await openHost(users.map(() => ({ text: "Hi.", usage })));
    const turns = users.map(async (user) =>
      drain((await host.forUser(user).agents.open("a", { create: {} })).send("hi")),
    );
    const own = users.map(() => pool.query("select pg_sleep(0.01)"));
    await Promise.all([...turns, ...own]);
    expect(pool.totalCount).toBeLessThanOrEqual(3);
    await host.close();
    const { rows } = await pool.query("select count(*)::int as n from messages where role = 'assistant'");
    expect(rows).toEqual([{ n: 12 }]);
  });

  it("leaves no setting of a transaction on a connection that it returns", async () => {
    const host = await openHost([{ text: "Hi.", usage }]);
    await drain((await host.forUser("ada").agents.open("a", { create: {} })).send("hi"));
    await host.close();
    const state =
      "select current_user = session_user as own, coalesce(current_setting('palimpsest.user_id', true), '') as id";
    const clients = await Promise.all(Array.from({ length: pool.totalCount }, () => pool.connect()));
    expect(clients.length).toBeGreaterThan(0);
    for (const client of clients) {
      expect((await client.query(state)).rows).toEqual([{ own: true, id: "" }]);
      client.release();
    }
  });

  it("goes on when the server ends the connections of the pool", async () => {
    const host = await openHost([
      { text: "One.", usage },
      { text: "Two.", usage },
    ]);
    const agent = await host.forUser("ada").agents.open("a", { create: {} });
    await drain(agent.send("first"));
    const administrator = new pg.Client({ connectionString: url });
    await administrator.connect();
    const kill =
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()";
    await administrator.query(kill);
    expect((await lastOf(agent.send("second"))).text).toBe("Two.");
    await administrator.end();
    await host.close();
  });

  it("migrates an empty database through the pool, once, whoever comes first", async () => {
    await pool.query("drop schema public cascade; create schema public; drop schema drizzle cascade");
    const opened = await Promise.all([1, 2, 3].map(() => openStore({ connection: { kind: "pool", pool } })));
    expect(await opened[0]!.as("ada").agents.list()).toEqual([]);
    await Promise.all(opened.map((store) => store.close()));
    expect((await pool.query("select count(*)::int as n from drizzle.__drizzle_migrations")).rows).toEqual([{ n: 1 }]);
  });

  it("refuses to optimize without a connection of its own", async () => {
    const host = await openHost([]);
    await expect(host.optimize()).rejects.toMatchObject({
      code: "config_invalid",
      message: expect.stringContaining("migrationUrl"),
    });
    await host.close();
  });

  it("reports a pool that its caller has ended", async () => {
    const ended = new pg.Pool({ connectionString: url });
    await ended.end();
    await expect(openHost([], { pool: ended })).rejects.toMatchObject({ code: "store_unreachable" });
  });
});

describe("the option `pool`", () => {
  it.each([
    [
      "and a URL",
      { pool: new pg.Pool(), databaseUrl: "postgres://a@127.0.0.1:1/b" },
      /either `databaseUrl` or `pool`, got both/u,
    ],
    ["that is no pool", { pool: {} as unknown as pg.Pool }, /expected `pool` to be a Pool/u],
  ])("is refused %s", async (_title, options, message) => {
    await expect(createHost({ model: "demo", embedder: null, ...options })).rejects.toMatchObject({
      code: "config_invalid",
      message: expect.stringMatching(message),
    });
  });
});
