// The one way to run a query: its role and user, its errors, and lost connections. On the engine at hand.
import { AsyncLocalStorage } from "node:async_hooks";
import { inspect } from "node:util";
import { eq, sql } from "drizzle-orm";
import postgres from "postgres";
import { type Database, openDatabase } from "../../src/store/connection/database.ts";
import { connectOrServe, type EmbeddedServer } from "../../src/store/embedded/connect-or-serve.ts";
import { openStore } from "../../src/store/open-store.ts";
import { agents, users } from "../../src/store/schema.ts";
import { until } from "../support/until.ts";
import { createTestDatabase, isOnServer, type TestDatabase } from "../support/database.ts";
import { onEngine } from "../support/on-engine.ts";

let place: TestDatabase;
let server: EmbeddedServer | null = null;
let database: Database;

beforeAll(async () => {
  place = await createTestDatabase({ isOwn: true });
  const { connection } = place;
  // A server of its own, so that a test can end it as any other process might.
  if (connection.kind === "embedded") server = await connectOrServe({ folder: connection.folder, host: "worker" });
  database = await openDatabase({ connection });
});

afterAll(async () => {
  await database.close();
  await server?.close();
  await place.remove();
});

/** Its title tells why it is not run on the embedded engine. */
function onServer(title: string, body: () => Promise<void>): void {
  const reason = "(on a server: on the embedded engine, cutting one connection ends the engine for all)";
  (isOnServer ? it : it.skip)(`${title} ${reason}`, body);
}

const newUser = (userId: string) => database.transaction(userId, (tx) => tx.tables.insert(users).values({ userId }));

/** Ends the connections of `database`, or the server that they lead to. */
async function cutConnections(): Promise<void> {
  if (place.connection.kind === "embedded") {
    await server?.close();
    server = null;
    return;
  }
  const sql = postgres(place.connection.url, { max: 1 });
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
  await sql.end();
}

describe("a transaction", () => {
  it("has the runtime's role and its user from the first statement on, and no other transaction has them", async () => {
    const asked = "select current_user::text as role, current_setting('palimpsest.user_id', true) as user_id";
    const ask = (userId: string) => database.transaction(userId, (tx) => tx.run(asked, []).then(([row]) => row));
    const names = Array.from({ length: 20 }, (_, index) => `user ${index}'); select 1 --`);
    expect(await Promise.all(names.map(ask))).toEqual(
      names.map((name) => ({ role: "palimpsest_runtime", user_id: name })),
    );
    const [owner] = await database.ownerTransaction((tx) =>
      tx.run<{ role: string; user_id: string | null }>(asked, []),
    );
    expect(owner!.role).not.toBe("palimpsest_runtime");
    expect(owner!.user_id ?? "").toBe("");
  });

  it("may read and write rows, but not change tables", async () => {
    for (const statement of [
      "drop table users",
      "truncate users",
      "create table mine (id int)",
      "alter table users add column x int",
    ]) {
      await expect(database.transaction("ada", (tx) => tx.run(statement, []))).rejects.toMatchObject({
        code: "store_failed",
        message: expect.stringContaining("42501"),
      });
    }
  });

  it("is rolled back when its work throws, and rethrows the error", async () => {
    const error = new RangeError("mine");
    const failed = database.transaction("rolled back", async (tx) => {
      await tx.tables.insert(users).values({ userId: "rolled back" });
      throw error;
    });
    await expect(failed).rejects.toBe(error);
    const found = await database.transaction("rolled back", (tx) =>
      tx.tables.select().from(users).where(eq(users.userId, "rolled back")),
    );
    expect(found).toEqual([]);
  });

  it("is rolled back when the database refuses its commit, and leaves its connection without a transaction", async () => {
    await database.ownerTransaction(async (tx) => {
      await tx.run("create table late (id int unique deferrable initially deferred)", []);
      await tx.run("grant insert, select on late to palimpsest_runtime", []);
    });
    const twice = () => database.transaction("ada", (tx) => tx.run("insert into late values (1), (1)", []));
    const outcomes = await Promise.allSettled(Array.from({ length: 12 }, twice));
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: { code: "store_failed" } });
    const count = () => database.transaction("ada", (tx) => tx.run("select from late", []));
    expect(await Promise.all(Array.from({ length: 12 }, count))).toEqual(Array.from({ length: 12 }, () => []));
    await database.ownerTransaction((tx) => tx.run("drop table late", []));
  });
});

onEngine("embedded engine", "a server has a connection for each")("a transaction inside another", () => {
  it("cannot be opened", async () => {
    const nested = database.transaction("ada", () => database.transaction("ada", async () => 1));
    await expect(nested).rejects.toThrow(/inside a transaction/u);
    expect(await database.transaction("ada", async () => 2)).toBe(2);
  });
});

describe("a failed statement", () => {
  const secret = "a person's secret";

  it.each([
    ["by hand", () => database.transaction("ada", (tx) => tx.run("select $1::text::uuid", [secret]))],
    [
      "by drizzle",
      () =>
        database.transaction("ada", (tx) => tx.tables.select().from(agents).where(sql`${secret}::text::uuid is null`)),
    ],
    ["of a constraint", () => newUser(secret).then(() => newUser(secret))],
  ])("%s contains the database's error, and no user's text", async (_, run) => {
    const error: unknown = await run().then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: "store_failed", message: expect.stringMatching(/SQLSTATE (?:22P02|23505)/u) });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(secret);
    expect((error as Error).message).not.toContain("select");
  });

  it("names the constraint that it broke", async () => {
    await newUser("twice");
    await expect(newUser("twice")).rejects.toThrow(/table users.*constraint users(?:_p\d)?_pkey/u);
  });
});

describe("a lost connection", () => {
  it("makes the running transaction run again, which is committed once", async () => {
    let runs = 0;
    await database.transaction("in flight", async (tx) => {
      runs += 1;
      await tx.tables.insert(users).values({ userId: "in flight" });
      if (runs === 1) await cutConnections();
      await tx.run("select 1", []);
    });
    // More than twice where the next connection of the pool turns out to be cut as well.
    expect(runs).toBeGreaterThan(1);
    const found = await database.transaction("in flight", (tx) =>
      tx.tables.select().from(users).where(eq(users.userId, "in flight")),
    );
    expect(found).toHaveLength(1);
  });

  onServer("fails an owner's transaction that had begun: its work may have written elsewhere", async () => {
    let runs = 0;
    const cut = database.ownerTransaction(async (tx) => {
      runs += 1;
      await tx.run("select 1", []);
      await cutConnections();
      await tx.run("select 1", []);
    });
    await expect(cut).rejects.toMatchObject({ code: "store_unreachable" });
    expect(runs).toBe(1);
  });

  it("between transactions is not noticed", async () => {
    await newUser("before");
    await cutConnections();
    await newUser("after");
    const found = await database.ownerTransaction((tx) =>
      tx.run("select 1 from users where user_id in ('before', 'after')", []),
    );
    expect(found).toHaveLength(2);
  });

  onServer(
    "at any moment fails transactions and nothing else, and what was told to be committed is there",
    async () => {
      const names = Array.from({ length: 400 }, (_, index) => `cut ${index}`);
      const outcomes: PromiseSettledResult<unknown>[] = [];
      for (let first = 0; first < names.length; first += 20) {
        const round = names.slice(first, first + 20).map((userId) =>
          database.transaction(userId, async (tx) => {
            await tx.tables.insert(users).values({ userId });
            return tx.run("select 1", []);
          }),
        );
        const [settled] = await Promise.all([Promise.allSettled(round), cutConnections()]);
        outcomes.push(...settled);
      }
      const failures = outcomes.flatMap((outcome) =>
        outcome.status === "rejected" ? [outcome.reason as unknown] : [],
      );
      for (const failure of failures) expect(failure).toMatchObject({ code: "store_unreachable" });
      const committed = names.filter((_, index) => outcomes[index]!.status === "fulfilled");
      const [found] = await database.ownerTransaction((tx) =>
        tx.run<{ ids: string[] }>(
          "select to_jsonb(array_agg(user_id)) as ids from users where user_id like 'cut %'",
          [],
        ),
      );
      expect([found!.ids].flat()).toEqual(expect.arrayContaining(committed));
    },
  );

  onServer("is noticed while the work itself waits for something else", async () => {
    let runs = 0;
    let isOver = false;
    const waited = database.transaction("ada", async (tx) => {
      runs += 1;
      await tx.run("select 1", []);
      if (runs > 1) return isOver;
      await cutConnections();
      await new Promise((resolve) => setTimeout(resolve, 200));
      isOver = true;
      return tx.run("select 1", []);
    });
    // The second run began while the first one was still waiting, which could not send anything any more.
    expect(await waited).toBe(false);
    await until(() => isOver);
    await newUser("goes on");
  });
});

describe("opening", () => {
  it("names the address that does not answer, without the password", async () => {
    const url = "postgres://ada:hunter2@127.0.0.1:9/somewhere";
    const error: unknown = await openStore({ connection: { kind: "server", url } }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "store_unreachable",
      message: "Cannot reach PostgreSQL at 127.0.0.1:9 (connection refused). Check `databaseUrl` or start the server.",
    });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain("hunter2");
  });

  it.each([["nonsense"], ["http://localhost/x"], [""]])("refuses the URL %j", async (url) => {
    await expect(openStore({ connection: { kind: "server", url } })).rejects.toMatchObject({ code: "config_invalid" });
  });

  (isOnServer ? it : it.skip)(
    "reports the server's refusal (on a server: the embedded engine has one database)",
    async () => {
      if (place.connection.kind !== "server") throw new TypeError("There is no server to be refused by.");
      const url = new URL(place.connection.url);
      url.pathname = "/no_such_database";
      await expect(openStore({ connection: { kind: "server", url: url.href } })).rejects.toMatchObject({
        code: "store_unreachable",
        message: expect.stringContaining("there is no such database"),
      });
    },
  );

  it("leaves a closed store closed", async () => {
    const store = await openStore({ connection: place.connection });
    await store.close();
    await store.close();
    await expect(store.as("ada").agents.list()).rejects.toThrow(/closed/u);
  });
});

describe("closing", () => {
  it("leaves no AsyncLocalStorage attached to the promises of the process", async () => {
    const used = new Set<unknown>();
    const disabled = new Set<unknown>();
    const { run, disable } = AsyncLocalStorage.prototype;
    AsyncLocalStorage.prototype.run = function (this: AsyncLocalStorage<unknown>, ...parameters: never) {
      used.add(this);
      return Reflect.apply(run, this, parameters);
    };
    AsyncLocalStorage.prototype.disable = function (this: AsyncLocalStorage<unknown>) {
      disabled.add(this);
      disable.call(this);
    };
    try {
      const other = await openDatabase({ connection: place.connection });
      await other.transaction("ada", (tx) => tx.run("select 1", []));
      await other.close();
    } finally {
      Object.assign(AsyncLocalStorage.prototype, { run, disable });
    }
    expect(used.size).toBe(isOnServer ? 0 : 1);
    expect(disabled).toEqual(used);
  });
});

onEngine("server", "the embedded engine runs one transaction at a time")("a deadlock", () => {
  it("ends no transaction: the one that the database rolls back is retried", async () => {
    let arrived = 0;
    let onBoth = (): void => undefined;
    const both = new Promise<void>((resolve) => (onBoth = resolve));
    const runs: string[] = [];
    const lockBoth = (first: number, second: number) =>
      database.transaction("deadlock", async (tx) => {
        runs.push(`${first} before ${second}`);
        await tx.run("select pg_advisory_xact_lock($1::int)", [first]);
        arrived += 1;
        if (arrived === 2) onBoth();
        await both;
        await tx.run("select pg_advisory_xact_lock($1::int)", [second]);
        return first;
      });
    expect(await Promise.all([lockBoth(71, 72), lockBoth(72, 71)])).toEqual([71, 72]);
    expect(runs).toHaveLength(3);
  });
});
