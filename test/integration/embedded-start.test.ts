// How the embedded server starts, is found, is replaced and leaves.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { packageRoot } from "../../src/base/package-root.ts";
import { connectOrServe } from "../../src/store/embedded/connect-or-serve.ts";
import { openDatabase } from "../../src/store/embedded/open-database.ts";
import { openStoreFolder } from "../../src/store/embedded/store-folder.ts";
import {
  isRunning,
  lockOf,
  newFolder,
  newMigrations,
  openPool,
  removeFolders,
  runProgram,
} from "../support/embedded-folder.ts";
import { until } from "../support/until.ts";

afterAll(removeFolders);

const NOTES =
  'CREATE EXTENSION vector;--> statement-breakpoint\nCREATE TABLE "notes" ("id" int PRIMARY KEY, "body" text);';

/** A folder with the migration NOTES, which no prepared folder has: created once, since an `initdb` takes seconds. */
let notes: string;

beforeAll(async () => {
  notes = newFolder();
  const { sql } = await openPool({ folder: notes, migrationsFolder: newMigrations(NOTES), idleMs: 500 });
  await sql`insert into notes values (1, 'kept')`;
  const { pid } = lockOf(notes).entry;
  await sql.end();
  await until(() => !isRunning(pid));
});

function notesFolder(): string {
  const folder = newFolder();
  cpSync(path.join(notes, "pgdata"), path.join(folder, "pgdata"), { recursive: true });
  return folder;
}

describe("connectOrServe", () => {
  test("starts a server in its own session on an empty folder, with the schema", async () => {
    const lines: string[] = [];
    const folder = newFolder();
    const { sql, server } = await openPool({ folder, log: (line) => lines.push(line) });
    const [extension] = await sql`select extversion from pg_extension where extname = ${"vector"}`;
    expect(extension?.["extversion"]).toMatch(/^0\./u);
    const [agents] = await sql`select to_regclass('public.agents') is not null as is_there`;
    expect(agents).toEqual({ is_there: true });
    expect(lines[0]).toBe(`preparing the data folder ${folder} (a new database)`);
    // How long it took, on a slow machine.
    expect(lines.slice(1).join()).toMatch(/^(?:the data folder is ready after [\d.]+ s)?$/u);
    expect(server.connection.path).toContain("socket");
    // Neither Ctrl+C nor Ctrl+Z in this terminal can reach a process that leads a session of its own.
    const { pid } = lockOf(folder).entry;
    expect(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ")[3]).toBe(String(pid));
  });

  test.each([
    ["1.4 s is reported with its time", 1_400, ["the data folder is ready after 1.4 s"]],
    ["0.9 s is reported once", 900, []],
  ])("a first start of %s", async (_what, milliseconds, expected) => {
    const lines: string[] = [];
    let passed = 0;
    const database = await openDatabase(openStoreFolder(newFolder()), {
      migrationsFolder: path.join(packageRoot(), "drizzle"),
      log: (line) => lines.push(line),
      now: () => (passed += milliseconds),
    });
    await database.close();
    expect(lines.slice(1)).toEqual(expected);
  });

  test("attaches a second caller to the running server", async () => {
    const folder = newFolder();
    const first = await openPool({ folder });
    await first.sql`create table notes (id int)`;
    const { entry } = lockOf(folder);
    const second = await runProgram(
      folder,
      `const { connection } = await connectOrServe({ folder, host: "process" });
       const sql = postgres({ ...connection, max: 1 });
       await sql\`insert into notes values (7)\`;
       await sql.end();
       say("inserted");`,
    ).ended;
    expect(second).toBe("inserted\n");
    expect(await first.sql`select id from notes`).toEqual([{ id: 7 }]);
    expect(lockOf(folder).entry).toEqual(entry);
  });

  test("starts one server for six concurrent processes", async () => {
    const folder = newFolder();
    const outputs = await Promise.all(
      Array.from(
        { length: 6 },
        (_, id) =>
          runProgram(
            folder,
            `const { connection } = await connectOrServe({ folder, host: "process" });
           const sql = postgres({ ...connection, max: 1, onnotice() {} });
           await sql\`create table if not exists notes (id int)\`;
           await sql\`insert into notes values (\${${id}})\`;
           await sql.end();
           say(connection.path);`,
          ).ended,
      ),
    );
    expect(new Set(outputs).size).toBe(1);
    const { sql } = await openPool({ folder });
    expect(await sql`select id from notes order by id`).toHaveLength(6);
    expect(path.basename(lockOf(folder).file)).toBe("server-lock-1.json");
  });

  test("creates the database if no prepared folder fits its migrations, and migrates an old one", async () => {
    const folder = notesFolder();
    const migrationsFolder = newMigrations(NOTES);
    addMigration(migrationsFolder, 'ALTER TABLE "notes" ADD COLUMN "tag" text');
    const again = await openPool({ folder, migrationsFolder });
    expect(await again.sql`select * from notes`).toEqual([{ id: 1, body: "kept", tag: null }]);
  });

  test("ends when idle, closes the database and releases the lock", async () => {
    const folder = newFolder();
    const { sql, server } = await openPool({ folder, idleMs: 300 });
    await sql`select 1`;
    const { pid } = lockOf(folder).entry;
    await sql.end();
    await until(() => !isRunning(pid));
    expect(lockOf(folder).entry.released).toBe(true);
    expect(existsSync(server.connection.path!)).toBe(false);
    expect(existsSync(path.join(folder, "pgdata", "postmaster.pid"))).toBe(false);
  });

  test("serves from a worker thread, until it is closed", async () => {
    const folder = newFolder();
    const { sql, server } = await openPool({ folder, host: "worker" });
    expect(lockOf(folder).entry.pid).toBe(process.pid);
    await sql`create table notes (id int)`;
    await sql`insert into notes select generate_series(1, 3)`;
    const attached = await openPool({ folder, host: "worker" });
    expect(await attached.sql`select id from notes`).toHaveLength(3);
    await sql.end();
    await attached.sql.end();
    await server.close();
    expect(lockOf(folder).entry.released).toBe(true);
    const next = await openPool({ folder, host: "worker" });
    expect(await next.sql`select id from notes`).toHaveLength(3);
    await next.sql.end();
    await next.server.close();
  });

  test("repeats an interrupted first start", async () => {
    const folder = newFolder();
    mkdirSync(path.join(folder, "pgdata"));
    writeFileSync(path.join(folder, "pgdata", "PG_VERSION"), "18\n");
    writeFileSync(path.join(folder, "pgdata.unfinished"), "");
    const { sql } = await openPool({ folder });
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
    expect(existsSync(path.join(folder, "pgdata.unfinished"))).toBe(false);
  });

  test("restarts a server that a signal ended during its start, and gives up after three such starts", async () => {
    const folder = newFolder();
    let kills = 0;
    const killStarting = (times: number) => (line: string) => {
      if (kills === times || !line.startsWith("preparing the data folder")) return;
      kills += 1;
      process.kill(lockOf(folder).entry.pid, "SIGKILL");
    };
    const start = connectOrServe({ folder, host: "process", log: killStarting(3) });
    await expect(start).rejects.toMatchObject({ code: "store_failed", message: expect.stringContaining("3 times") });
    kills = 0;
    const { sql } = await openPool({ folder, log: killStarting(2) });
    expect(kills).toBe(2);
    expect(await sql`select count(*)::int as agents from agents`).toEqual([{ agents: 0 }]);
  });

  test("uses a short folder for the socket if the path is too long", async () => {
    const folder = path.join(newFolder(), "x".repeat(120));
    const { sql, server } = await openPool({ folder });
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
    expect(Buffer.byteLength(server.connection.path!)).toBeLessThan(100);
    process.kill(lockOf(folder).entry.pid, "SIGTERM");
    await until(() => lockOf(folder).entry.released === true);
    rmSync(path.dirname(server.connection.path!), { recursive: true });
  });

  test("requires the secret over TCP", async () => {
    const folder = newFolder();
    const { sql, server } = await openPool({ folder, transport: "tcp" });
    expect(await sql`select ${1}::int as one`).toEqual([{ one: 1 }]);
    const { port } = server.connection;
    const denied = await runProgram(
      folder,
      `const sql = postgres({ host: "127.0.0.1", port: ${port}, username: "postgres", password: "guess", max: 1 });
       await sql\`select 1\`.catch((error) => say(error.code));
       process.exit();`,
    ).ended;
    expect(denied).toBe("28P01\n");
  });
});

describe("connectOrServe refuses", () => {
  test.each(["/proc/palimpsest", path.join(import.meta.filename, "below-a-file")])("%s as a folder", async (folder) => {
    expect(await refusal({ folder })).toEqual({
      code: "data_folder_invalid",
      message: expect.stringContaining(`The data folder ${folder} cannot be used`),
    });
  });

  test("a corrupt folder, in either host", async () => {
    const folder = newFolder();
    const { sql } = await openPool({ folder, idleMs: 500 });
    const { pid } = lockOf(folder).entry;
    await sql.end();
    await until(() => !isRunning(pid));
    writeFileSync(path.join(folder, "pgdata", "global", "pg_control"), "not a control file");
    const expected = {
      code: "data_folder_invalid",
      message: expect.stringMatching(/cannot be opened: .*Restore a backup/u),
    };
    expect(await refusal({ folder })).toEqual(expected);
    expect(await refusal({ folder, host: "worker" })).toEqual(expected);
    expect(existsSync(path.join(folder, "pgdata", "PG_VERSION"))).toBe(true);
  });

  test("a database that a newer version has written", async () => {
    const folder = newFolder();
    const { sql } = await openPool({ folder, idleMs: 500 });
    await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', 4102444800000)`;
    const { pid } = lockOf(folder).entry;
    await sql.end();
    await until(() => !isRunning(pid));
    expect(await refusal({ folder })).toEqual({
      code: "store_schema_newer",
      message: expect.stringContaining("newer version of Palimpsest (a migration of 2100-01-01"),
    });
    expect(lockOf(folder).entry.released).toBe(true);
  });

  test("a database with a migration that this version does not have, from a development version", async () => {
    const folder = notesFolder();
    const rewritten = newMigrations(NOTES, Date.UTC(2030, 0));
    expect(await refusal({ folder, migrationsFolder: rewritten })).toEqual({
      code: "store_schema_unknown",
      message: expect.stringContaining("a migration of 2023-11-14T22:13:20.000Z that this version does not have"),
    });
    expect(lockOf(folder).entry.released).toBe(true);
  });

  test("a failing migration, and names the violated constraint", async () => {
    const migrationsFolder = newMigrations('CREATE TABLE "notes" ("id" nonsense);');
    expect(await refusal({ folder: newFolder(), migrationsFolder })).toEqual({
      code: "store_failed",
      message: expect.stringContaining('type "nonsense" does not exist'),
    });
  });
});

describe("two versions of the program on one folder", () => {
  test("the newer waits until the server of the older has ended; the older gets an error about the newer", async () => {
    const folder = notesFolder();
    const older = newMigrations(NOTES);
    const newer = newMigrations(NOTES);
    addMigration(newer, 'ALTER TABLE "notes" ADD COLUMN "tag" text');
    const { sql } = await openPool({ folder, migrationsFolder: older, idleMs: 300 });
    await sql`select 1`;
    const busy = { code: "store_locked", message: expect.stringContaining("older version of Palimpsest") };
    expect(await refusal({ folder, migrationsFolder: newer, patienceMs: 400 })).toEqual(busy);
    const waiting = openPool({ folder, migrationsFolder: newer });
    await sql.end();
    const { sql: upgraded } = await waiting;
    expect(await upgraded`select created_at from drizzle.__drizzle_migrations`).toHaveLength(2);
    const { code } = (await refusal({ folder, migrationsFolder: older })) as { code: string };
    expect(code).toBe("store_schema_newer");
  });
});

function addMigration(migrationsFolder: string, sql: string): void {
  const journal = path.join(migrationsFolder, "meta", "_journal.json");
  const { entries } = JSON.parse(readFileSync(journal, "utf8"));
  entries.push({ ...entries[0], idx: 1, when: entries[0].when + 1, tag: "0001_second" });
  writeFileSync(journal, JSON.stringify({ version: "7", dialect: "postgresql", entries }));
  writeFileSync(path.join(migrationsFolder, "0001_second.sql"), sql);
}

async function refusal(options: Parameters<typeof openPool>[0]) {
  return connectOrServe({ host: "process", ...options }).then(
    () => "no refusal",
    (error: { code: string; message: string }) => ({ code: error.code, message: error.message }),
  );
}
