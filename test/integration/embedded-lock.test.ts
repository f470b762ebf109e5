// The lock of the data folder: one server at a time, taken over only from what is surely gone.
import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Sql } from "postgres";
import { openDatabase } from "../../src/store/connection/database.ts";
import { connectOrServe } from "../../src/store/embedded/connect-or-serve.ts";
import { releaseServerLock, takeServerLock } from "../../src/store/embedded/server-lock.ts";
import { openStoreFolder } from "../../src/store/embedded/store-folder.ts";
import { thisHolder } from "../../src/base/lock-holder.ts";
import {
  isRunning,
  lockOf,
  newFolder,
  openPool,
  removeFolders,
  runProgram,
  usedFolder,
} from "../support/embedded-folder.ts";
import { until } from "../support/until.ts";

afterAll(removeFolders);

const refusal = (folder: string, patienceMs = 60_000) =>
  connectOrServe({ host: "process", folder, patienceMs }).then(
    () => "no refusal",
    (error: { code: string; message: string }) => ({ code: error.code, message: error.message }),
  );

const answers = (sql: Sql) =>
  sql`select 1`.then(
    () => true,
    () => false,
  );

describe("a server whose folder was removed", () => {
  test.each([["process"], ["worker"]] as const)("does not write to a recreated folder: %s", async (host) => {
    const folder = newFolder();
    const { sql } = await openPool({ folder, host });
    await sql`create table notes (id int)`;
    const left = lockOf(folder).entry;
    rmSync(folder, { recursive: true, force: true });
    const anew = await openPool({ folder });
    await anew.sql`create table fresh (id int)`;
    const { file, entry } = lockOf(folder);
    expect(entry.endpoint).not.toEqual(left.endpoint);
    // It goes although somebody is connected.
    await until(async () => !(await answers(sql)));
    if (host === "process") await until(() => !isRunning(left.pid));
    await anew.sql`insert into fresh select generate_series(1, 1000)`;
    expect(lockOf(folder)).toMatchObject({ file, entry });
    process.kill(entry.pid, "SIGKILL");
    const again = await openPool({ folder });
    expect(await again.sql`select count(*)::int from fresh`).toEqual([{ count: 1000 }]);
  });
});

test("a worker thread whose folder is no folder any more ends without its process", async () => {
  const folder = path.join(newFolder(), "data");
  const { ended } = runProgram(
    folder,
    `import { renameSync, writeFileSync } from "node:fs";
     setInterval(() => undefined, 1000);
     let tell;
     const noted = new Promise((resolve) => (tell = resolve));
     const log = (line) => line.includes("lock") && tell(line);
     const server = await connectOrServe({ folder, host: "worker", log });
     renameSync(folder, folder + " of before");
     writeFileSync(folder, "");
     await server.close();
     say("closed");
     say(await noted);
     process.exit();`,
  );
  const output = await ended;
  expect(output).toContain("The lock of the data folder was not released: ");
  expect(output).toContain("closed");
});

describe("a killed server", () => {
  test("is replaced, and no acknowledged row is lost", async () => {
    const folder = await usedFolder();
    const { sql } = await openPool({ folder });
    await sql`create table notes (id int primary key)`;
    let acknowledged = 0;
    const { pid } = lockOf(folder).entry;
    const writing = (async () => {
      for (let id = 1; ; id += 1) {
        // Not in `begin`: the driver would write its rollback to the socket that is gone, and throw where nobody can catch.
        await sql`insert into notes values (${id})`;
        acknowledged = id;
      }
    })().catch(() => "interrupted");
    await until(() => acknowledged > 50);
    process.kill(pid, "SIGKILL");
    expect(await writing).toBe("interrupted");
    const again = await openPool({ folder });
    const [row] = await again.sql<{ count: number; max: number }[]>`select count(*)::int, max(id) from notes`;
    expect(row!.count).toBe(row!.max);
    expect(row!.count).toBeGreaterThanOrEqual(acknowledged);
    expect(row!.count).toBeLessThanOrEqual(acknowledged + 1);
    expect(lockOf(folder).entry.pid).not.toBe(pid);
  });

  test("is replaced by one, however many processes detect it", async () => {
    const folder = await usedFolder();
    const { sql } = await openPool({ folder });
    await sql`create table notes (id int)`;
    const { pid } = lockOf(folder).entry;
    process.kill(pid, "SIGKILL");
    await until(() => !isRunning(pid));
    const outputs = await Promise.all(
      Array.from(
        { length: 6 },
        () =>
          runProgram(
            folder,
            `const { connection } = await connectOrServe({ folder, host: "process" });
           const sql = postgres({ ...connection, max: 1 });
           await sql\`insert into notes values (1)\`;
           await sql.end();
           say(connection.path);`,
          ).ended,
      ),
    );
    expect(new Set(outputs).size).toBe(1);
    expect(lockOf(folder).file).toContain("server-lock-2.json");
    const again = await openPool({ folder });
    expect(await again.sql`select id from notes`).toHaveLength(6);
  });
});

describe("a suspended server", () => {
  test("is reported with advice, and serves again when it is continued", async () => {
    const folder = await usedFolder();
    const { sql } = await openPool({ folder });
    await sql`select 1`;
    const { pid } = lockOf(folder).entry;
    process.kill(pid, "SIGSTOP");
    expect(await refusal(folder)).toEqual({
      code: "store_unreachable",
      message: expect.stringContaining(`kill -CONT ${pid}`),
    });
    process.kill(pid, "SIGCONT");
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
    expect(await refusal(folder)).toBe("no refusal");
  });
});

describe("a server that is suspended while it has clients", () => {
  test("causes an error in each client, with nothing committed, and serves them again when it is continued", async () => {
    const folder = await usedFolder();
    const database = await openDatabase({ connection: { kind: "embedded", folder, host: "process" } });
    await database.ownerTransaction((tx) => tx.run("create table notes (id int)", []));
    const { pid } = lockOf(folder).entry;
    const insert = (id: number): Promise<unknown> =>
      database.ownerTransaction(async (tx) => {
        await tx.run("insert into notes values ($1::int)", [id]);
        if (id === 1) process.kill(pid, "SIGSTOP");
        await tx.run("select 1", []);
      });
    const advice = { code: "store_unreachable", message: expect.stringContaining(`kill -CONT ${pid}`) };
    await expect(insert(1)).rejects.toMatchObject({ code: "store_unreachable" });
    await expect(insert(2)).rejects.toMatchObject(advice);
    await expect(Promise.all([insert(3), insert(4)])).rejects.toMatchObject(advice);
    process.kill(pid, "SIGCONT");
    await insert(5);
    expect(await database.ownerTransaction((tx) => tx.run("select id from notes", []))).toEqual([{ id: 5 }]);
    await database.close();
  });
});

describe("a lock", () => {
  test("of an ended process is taken over, even if another process has its pid", async () => {
    const folder = await usedFolder();
    const entry = { ...thisHolder(), startedAt: "1", endpoint: { path: `${folder}/socket/.s.PGSQL.1` }, schema: 1 };
    writeFileSync(`${folder}/server-lock-4.json`, JSON.stringify(entry));
    const { sql } = await openPool({ folder });
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
    expect(lockOf(folder).file).toContain("server-lock-5.json");
  });

  test("of this machine from before its last boot is taken over", async () => {
    const folder = await usedFolder();
    const entry = {
      ...thisHolder(),
      boot: "an earlier boot",
      endpoint: { path: `${folder}/socket/.s.PGSQL.1` },
      schema: 1,
    };
    writeFileSync(`${folder}/server-lock-1.json`, JSON.stringify(entry));
    const { server } = await openPool({ folder });
    expect(server.connection.path).toContain(folder);
  });

  test("of another host is not taken over, and the error has its holder's name and advice", async () => {
    const folder = newFolder();
    const entry = {
      ...thisHolder(),
      host: "elsewhere",
      pid: 4711,
      endpoint: { path: `${folder}/socket/.s.PGSQL.1` },
      schema: 1,
    };
    const file = `${folder}/server-lock-1.json`;
    writeFileSync(file, JSON.stringify(entry));
    const { code, message } = (await refusal(folder)) as { code: string; message: string };
    expect(code).toBe("store_locked");
    expect(message).toContain('Process 4711 on the host "elsewhere"');
    expect(message).toContain(file);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(entry);
  });

  test("of a living process without a socket is not taken over", async () => {
    const folder = await usedFolder();
    const { server } = await openPool({ folder });
    renameSync(server.connection.path!, `${server.connection.path}.away`);
    expect(await refusal(folder, 200)).toEqual({
      code: "store_locked",
      message: expect.stringContaining("but its socket is gone"),
    });
    renameSync(`${server.connection.path}.away`, server.connection.path!);
    expect(await refusal(folder)).toBe("no refusal");
  });

  test.each([["unix"], ["tcp"]] as const)(
    "that was copied with its folder does not lead to the original's server: %s",
    async (transport) => {
      const folder = await usedFolder();
      const { sql } = await openPool({ folder, transport });
      await sql`create table notes (id int)`;
      const copy = newFolder();
      cpSync(folder, copy, { recursive: true, filter: (source) => !source.includes("/socket") });
      expect(await refusal(copy, 200)).toEqual({ code: "store_locked", message: expect.stringContaining(copy) });
      const { pid } = lockOf(folder).entry;
      process.kill(pid, "SIGKILL");
      await until(() => !isRunning(pid));
      await openPool({ folder: copy, transport });
      expect(lockOf(copy).entry.endpoint).not.toEqual(lockOf(folder).entry.endpoint);
    },
  );

  test("goes to one of the processes that detect the dead holder, and not to one with an outdated read", () => {
    const folder = openStoreFolder(newFolder());
    const entry = { ...thisHolder(), endpoint: { path: "/nowhere" }, schema: 1 };
    const first = takeServerLock(folder, 0, entry);
    expect(first?.number).toBe(1);
    expect(takeServerLock(folder, 0, entry)).toBeUndefined();
    releaseServerLock(first!);
    expect(takeServerLock(folder, 1, entry)?.number).toBe(2);
    expect(takeServerLock(folder, 2, entry)?.number).toBe(3);
    // The files 1 and 2 are gone by now.
    expect(takeServerLock(folder, 0, entry)).toBeUndefined();
    expect(takeServerLock(folder, 1, entry)).toBeUndefined();
    expect(lockOf(folder.root).file).toContain("server-lock-3.json");
  });
});
