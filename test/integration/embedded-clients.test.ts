// Clients of the embedded server: many at once, in the middle of transactions, killed, stopped, and sending nonsense.
import net from "node:net";
import type postgres from "postgres";
import type { EmbeddedConnection } from "../../src/store/embedded/server-endpoint.ts";
import { queryMessage, startupMessage, wireMessage } from "../../src/store/embedded/wire-message.ts";
import { isRunning, lockOf, newFolder, openPool, removeFolders, runProgram } from "../support/embedded-folder.ts";
import { until } from "../support/until.ts";

const folder = newFolder();
let sql: postgres.Sql;
let connection: EmbeddedConnection;

beforeAll(async () => {
  const opened = await openPool({ folder, stallMs: 500 }, 3);
  sql = opened.sql;
  connection = opened.server.connection;
  await sql`create table notes (id int primary key, body text)`;
});
afterAll(removeFolders);

const inTransaction = (then: string) => `
  const { connection } = await connectOrServe({ folder, host: "process" });
  const sql = postgres({ ...connection, max: 1 });
  await sql.begin(async (tx) => {
    await tx\`insert into notes values (999, 'never committed')\`;
    say("inside");
    ${then}
  }).catch((error) => say(error.code));
  process.exit();`;

/** A client that speaks in bytes. */
async function openRaw() {
  const socket = net.connect({ path: connection.path! });
  let answer = "";
  socket.on("data", (chunk) => (answer += chunk.toString("latin1")));
  socket.on("error", () => undefined);
  socket.write(startupMessage("postgres", "postgres"));
  await until(() => answer.includes("Z\0\0\0\x05I"));
  answer = "";
  return { socket, send: (...messages: Buffer[]) => socket.write(Buffer.concat(messages)), answer: () => answer };
}

const parse = (statement: string, name = "") => wireMessage("P", `${name}\0${statement}\0\0\0`);
const bindAndExecute = Buffer.concat([
  wireMessage("B", "\0\0\0\0\0\0\0\0"),
  wireMessage("E", "\0\0\0\0\0"),
  wireMessage("S"),
]);
const flush = wireMessage("H");

describe("a client in a transaction", () => {
  test("that is killed is rolled back, and others continue", async () => {
    const { program, said } = runProgram(folder, inTransaction("await new Promise(() => setInterval(() => 0, 1000));"));
    await said("inside");
    const waiting = sql`select id from notes`;
    program.kill("SIGKILL");
    expect(await waiting).toEqual([]);
  });

  test("that is suspended is disconnected when others wait, and gets an error when it is continued", async () => {
    const { program, said, ended } = runProgram(
      folder,
      inTransaction("await tx`select pg_sleep(0)`; await new Promise((r) => setTimeout(r, 1500)); await tx`select 1`;"),
    );
    await said("inside");
    program.kill("SIGSTOP");
    expect(await sql`select id from notes`).toEqual([]);
    program.kill("SIGCONT");
    expect(await ended).toMatch(/inside\n(25P03|CONNECTION_CLOSED|EPIPE)\n/u);
    expect(await sql`select id from notes`).toEqual([]);
  });

  test("that takes long is not interrupted while nobody waits", async () => {
    const { ended } = runProgram(
      folder,
      inTransaction("await new Promise((r) => setTimeout(r, 1200)); await tx`delete from notes`; say('done');"),
    );
    expect(await ended).toContain("done");
  });
});

test("a client that begins a transaction and disconnects at once blocks no one", async () => {
  const raw = await openRaw();
  raw.send(queryMessage("begin"), wireMessage("X"));
  expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
});

describe("concurrent clients", () => {
  test("get their own answers, although an unnamed statement takes two round trips", async () => {
    const pools = await Promise.all(Array.from({ length: 4 }, () => openPool({ folder }, 3)));
    await Promise.all(
      Array.from({ length: 600 }, async (_, id) => {
        const pool = pools[id % 4]!.sql;
        const [row] =
          id % 2 === 0 ? await pool`select ${id}::int as id` : await pool`select ${`text ${id}`} as id, 2 as two`;
        expect(row!["id"]).toBe(id % 2 === 0 ? id : `text ${id}`);
      }),
    );
    await Promise.all(pools.map((pool) => pool.sql.end()));
  });

  test("are isolated from each other's settings, role and unfinished statements", async () => {
    await sql`do $$ begin create role guest; exception when duplicate_object then null; end $$`;
    const other = await openRaw();
    other.send(queryMessage("set work_mem = '77MB'; set role guest; set search_path = nowhere"));
    await until(() => other.answer().includes("Z"));
    const [row] = await sql`select current_user::text as role, current_setting('work_mem') as memory`;
    expect(row).toEqual({ role: "postgres", memory: "4MB" });
    other.send(parse("select 'of the other'"), flush);
    await until(() => other.answer().includes("1\0\0\0\x04"));
    const waiting = sql`select 'mine' as text`;
    other.send(bindAndExecute);
    await until(() => other.answer().includes("of the other"));
    expect(await waiting).toEqual([{ text: "mine" }]);
    other.socket.destroy();
  });

  test("leave no state behind, 60 times", async () => {
    for (let round = 0; round < 60; round += 1) {
      const raw = await openRaw();
      raw.send(parse("select 1", `named ${round}`), wireMessage("S"));
      await until(() => raw.answer().includes("Z"));
      raw.socket.destroy();
    }
    await until(async () => (await sql`select from pg_prepared_statements where name like 'named %'`).length === 0);
  });

  test("keep their prepared statements when another client leaves", async () => {
    const ask = async (number: number) => (await sql`select ${number}::int + 41 as sum`)[0];
    expect(await ask(1)).toEqual({ sum: 42 });
    const other = await openRaw();
    other.send(parse("select 1", "named"), wireMessage("S"), queryMessage("begin; create temp table left_behind ()"));
    await until(() => other.answer().includes("T"));
    other.socket.destroy();
    const prepared = () =>
      sql`select name, statement from pg_prepared_statements where name = 'named' or statement like 'select $1::int + 41%'`;
    await until(async () => (await prepared()).length === 1);
    expect((await prepared())[0]).toMatchObject({ statement: expect.stringContaining("+ 41") });
    expect(await ask(2)).toEqual({ sum: 43 });
  });
});

describe("an error", () => {
  test("in the middle of a client's messages fails them up to its Sync, and no other client's", async () => {
    const raw = await openRaw();
    raw.send(parse("selec 1"), flush);
    await until(() => raw.answer().includes("syntax error"));
    const waiting = sql`select 1 as one`;
    raw.send(parse("insert into notes values (1)"), bindAndExecute);
    await until(() => raw.answer().includes("Z\0\0\0\x05I"));
    expect(await waiting).toEqual([{ one: 1 }]);
    expect(await sql`select id from notes`).toEqual([]);
    raw.send(parse("select 'goes on'"), bindAndExecute);
    await until(() => raw.answer().includes("goes on"));
    raw.socket.destroy();
  });

  test.each([
    ["garbage", Buffer.from("GET / HTTP/1.1\r\n\r\n")],
    ["a length that no message has", Buffer.from([0x51, 0xff, 0xff, 0xff, 0xff])],
    ["a message of a kind that does not exist", wireMessage("!", "x")],
  ])("of protocol (%s) ends that connection only", async (_, bytes) => {
    const raw = await openRaw();
    raw.send(bytes);
    await until(() => raw.socket.closed);
    expect(raw.answer()).toContain("08P01");
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
  });

  test("refuses COPY FROM STDIN, which would end the engine", async () => {
    await expect(sql.unsafe("copy notes from stdin")).rejects.toMatchObject({ code: "0A000" });
    await expect(sql.unsafe("copy notes from stdin").simple()).rejects.toMatchObject({ code: "0A000" });
    await expect(
      sql.begin(async (tx) => {
        await tx`insert into notes values (1)`;
        await tx.unsafe("copy notes from stdin");
      }),
    ).rejects.toMatchObject({ code: "0A000" });
    expect(await sql`select id from notes`).toEqual([]);
  });

  test("that breaks the engine ends the server, and the next one has all acknowledged commits", async () => {
    await sql`insert into notes values (5, 'kept')`;
    await sql`create function down(i int) returns int language plpgsql as $$ begin return down(i + 1); end $$`;
    const { pid } = lockOf(folder).entry;
    await expect(sql`select down(1)`).rejects.toMatchObject({
      code: expect.stringMatching(/CONNECTION_CLOSED|ECONNRESET/u),
    });
    await until(() => !isRunning(pid));
    const again = await openPool({ folder });
    expect(await again.sql`select * from notes`).toEqual([{ id: 5, body: "kept" }]);
    await again.sql.end();
  });
});
