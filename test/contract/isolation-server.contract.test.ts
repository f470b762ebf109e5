// Isolation as only a server can show it: a login that has nothing but the runtime's role, and an owner of the tables who is
// no superuser. The embedded engine has one user, its superuser, so there the same is asked by taking on the role
// (isolation.contract.test.ts).
import { randomBytes } from "node:crypto";
import postgres from "postgres";
import { openDatabase } from "../../src/store/connection/database.ts";
import { migrateDatabase } from "../../src/store/connection/migrate.ts";
import { openStore } from "../../src/store/open-store.ts";
import { isOnServer } from "../support/database.ts";
import { onEngine } from "../support/on-engine.ts";
import { type IsolationScene, openScene, secret, tablesOf } from "../support/isolation-scene.ts";
import { ids, newAgent, newTalk, say } from "../support/store-builders.ts";

const serverUrl = process.env["TEST_DATABASE_URL"] ?? "";

/** A URL with other credentials or another database. */
function urlWith(url: string, change: { readonly role?: string; readonly database?: string }): string {
  const changed = new URL(url);
  if (change.role !== undefined) {
    changed.username = change.role;
    changed.password = "secret";
  }
  if (change.database !== undefined) changed.pathname = `/${change.database}`;
  return changed.href;
}

async function asAdministrator<Result>(url: string, work: (sql: postgres.Sql) => Promise<Result>): Promise<Result> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

const newName = (): string => `palimpsest_test_${randomBytes(6).toString("hex")}`;

const onServer = onEngine("server", "the embedded engine has one role, which may do everything");

onEngine("embedded engine", "on a server, roles log in")("skipped tests of roles", () => {
  it("no role can log in, every connection is the engine's superuser: what follows needs test:postgres", async () => {
    const scene = await openScene();
    const roles = await scene.test.ownerRows("select rolsuper from pg_roles where rolname = session_user");
    await scene.close();
    expect(roles).toEqual([{ rolsuper: true }]);
  });
});

onServer("a login that has the runtime's role alone", () => {
  const login = newName();
  let scene: IsolationScene;
  let url: string;

  beforeAll(async () => {
    scene = await openScene();
    if (scene.test.connection.kind !== "server") return;
    url = urlWith(scene.test.connection.url, { role: login });
    await asAdministrator(serverUrl, (sql) =>
      sql.unsafe(`create role "${login}" login password 'secret' in role palimpsest_runtime`),
    );
  });

  afterAll(async () => {
    await scene.close();
    await asAdministrator(serverUrl, (sql) => sql.unsafe(`drop role if exists "${login}"`));
  });

  it("without a user, sees no row of any table and finds nothing by any search", async () => {
    const tables = await tablesOf(scene);
    const agent = scene.hidden.agentId;
    await asAdministrator(url, async (sql) => {
      for (const table of tables) expect([table, await sql.unsafe(`select from "${table}"`)]).toEqual([table, []]);
      const span = "null, null, null, false, null, true, 0, 10";
      for (const search of [
        `search_messages('${agent}', '{"pattern": "%secret%", "words": "secret", "word_candidates": 10}', 0, 10)`,
        `messages_of_span('${agent}', ${span})`,
        `search_passages('${agent}', '{"pattern": "%secret%", "words": "secret", "word_candidates": 10}', 0, 10)`,
      ]) {
        expect([search, [...(await sql.unsafe(`select * from ${search}`))]]).toEqual([search, []]);
      }
    });
  });

  it("cannot become the owner, disable the policies or bypass them", async () => {
    await asAdministrator(url, async (sql) => {
      for (const statement of [
        "set role postgres",
        "alter table messages disable row level security",
        "drop policy own_rows on messages",
        "create policy all_rows on messages using (true)",
        "set row_security = off; select from messages",
      ]) {
        await expect(sql.unsafe(statement)).rejects.toMatchObject({ code: "42501" });
      }
    });
  });

  it("can run the program after the owner has migrated, but not write or read a backup", async () => {
    const owner = scene.test.connection.kind === "server" ? scene.test.connection.url : "";
    const store = await openStore({ connection: { kind: "server", url }, migrationUrl: owner });
    const talk = await newTalk(store.as("zoe"));
    await say(talk, ["mine"]);
    const found = await store.as("zoe").recall.search({ agentId: talk.agentId, text: "mine", page: 0, pageSize: 5 });
    expect(found.total).toBe(1);
    await expect(store.backup(`/tmp/${ids.next()}`)).rejects.toMatchObject({ code: "store_failed" });
    await store.close();
    const database = await openDatabase({ connection: { kind: "server", url } });
    const passed = database.ownerTransaction((tx) => tx.run("select from messages", []));
    await expect(passed).rejects.toMatchObject({ code: "store_failed", cause: { code: "42501" } });
    await database.close();
  });
});

onServer("an owner of the tables who is no superuser", () => {
  const owner = newName();
  const database = newName();
  const url = isOnServer ? urlWith(serverUrl, { role: owner, database }) : "";

  beforeAll(async () => {
    await asAdministrator(serverUrl, async (sql) => {
      await sql.unsafe(`create role "${owner}" login password 'secret'`);
      await sql.unsafe(`create database "${database}" owner "${owner}"`);
    });
    await asAdministrator(urlWith(serverUrl, { database }), (sql) => sql.unsafe("create extension vector"));
  });

  afterAll(async () => {
    await asAdministrator(serverUrl, async (sql) => {
      await sql.unsafe(`drop database "${database}" with (force)`);
      await sql.unsafe(`drop role "${owner}"`);
    });
  });

  it("gets an error with the two statements that an administrator must run, and works after them", async () => {
    const database = await openDatabase({ connection: { kind: "server", url } });
    const refused: unknown = await migrateDatabase(database).catch((error: unknown) => error);
    await database.close();
    expect(refused).toMatchObject({ code: "store_failed", cause: { code: "42501" } });
    expect((refused as Error).message).toContain(
      `CREATE ROLE palimpsest_runtime NOLOGIN; GRANT palimpsest_runtime TO ${owner};`,
    );
    await asAdministrator(serverUrl, (sql) => sql.unsafe(`grant palimpsest_runtime to "${owner}"`));
    const store = await openStore({ connection: { kind: "server", url } });
    const [ada, eve] = [store.as("ada"), store.as("eve")];
    const talk = await newTalk(ada);
    await say(talk, [secret]);
    const asked = { agentId: talk.agentId, text: "secret", page: 0, pageSize: 5 };
    expect((await ada.recall.search(asked)).total).toBe(1);
    expect((await eve.recall.search(asked)).total).toBe(0);
    await eve.agents.create(newAgent());
    expect(await eve.agents.list()).toHaveLength(1);
    await store.close();
  });

  it("gets this error at the start too, if the privilege was revoked", async () => {
    await asAdministrator(serverUrl, (sql) => sql.unsafe(`revoke palimpsest_runtime from "${owner}"`));
    await expect(openStore({ connection: { kind: "server", url } })).rejects.toMatchObject({
      code: "store_failed",
      message: expect.stringContaining(`GRANT palimpsest_runtime TO ${owner};`),
    });
    await asAdministrator(serverUrl, (sql) => sql.unsafe(`grant palimpsest_runtime to "${owner}"`));
  });

  it("backs up and restores every user's rows", async () => {
    const file = `/tmp/${ids.next()}`;
    const store = await openStore({ connection: { kind: "server", url } });
    await store.backup(file);
    await expect(store.restore(file)).rejects.toThrow(/empty database to restore into/u);
    await asAdministrator(url, (sql) => sql.unsafe("truncate users cascade"));
    await store.restore(file);
    expect(await store.as("ada").agents.list()).toHaveLength(1);
    expect(await store.as("eve").agents.list()).toHaveLength(1);
    await store.close();
  });
});
