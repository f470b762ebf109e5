// The caller's pool: what is borrowed is returned, and what is not a working pool is named.
import { createCallersPool } from "../../../src/store/connection/pg-connection.ts";
import type { PgPool, PgStatement } from "../../../src/store/port/pg-pool.ts";

type Listener = () => void;

interface FakePool extends PgPool {
  readonly asked: PgStatement[];
  /** How each connection was returned: true if it is to be closed. */
  readonly returned: boolean[];
  /** The connections go, as those whose server was killed. */
  lose(): void;
}

function createFakePool(answer: (statement: PgStatement) => unknown = () => ({ rows: [], command: "OK" })): FakePool {
  const asked: PgStatement[] = [];
  const returned: boolean[] = [];
  const listeners = new Set<Listener>();
  return {
    asked,
    returned,
    totalCount: 3,
    idleCount: 1,
    waitingCount: 2,
    options: { max: 5 },
    lose: () => listeners.forEach((listener) => listener()),
    connect: (callback) =>
      callback(undefined, {
        async query(statement) {
          asked.push(statement);
          return answer(statement);
        },
        on: (_event, listener) => listeners.add(listener),
        removeListener: (_event, listener) => listeners.delete(listener),
        release: (destroy = false) => void returned.push(destroy),
      }),
  };
}

describe("the caller's pool", () => {
  it("has the caller's size and counts", () => {
    const pool = createCallersPool(createFakePool());
    expect(pool.counts()).toEqual({ max: 5, open: 3, idle: 1, waiting: 2 });
  });

  it("gets each connection back, the spoiled ones to close them", async () => {
    const own = createFakePool();
    const pool = createCallersPool(own);
    const [first, second] = [await pool.take("ada"), await pool.take("ada")];
    pool.release(first, "clean");
    pool.release(second, "spoiled");
    expect(own.returned).toEqual([false, true]);
  });

  it("sends every statement unnamed if there are no prepared statements", async () => {
    const own = createFakePool();
    const connection = await createCallersPool(own, false).take("ada");
    await connection.send("select $1", [1], { prepare: true });
    expect(own.asked).toHaveLength(1);
    expect(own.asked[0]).not.toHaveProperty("name");
  });

  it("sends a prepared statement by a name that depends on its text only, and rows as arrays on demand", async () => {
    const own = createFakePool(({ rowMode }) => ({
      rows: rowMode === "array" ? [[1]] : [{ n: 1 }],
      command: "SELECT",
    }));
    const connection = await createCallersPool(own).take("ada");
    expect(await connection.send("select $1::int as n", [1], { prepare: true })).toEqual([{ n: 1 }]);
    expect(await connection.send("select $1::int as n", [1], { prepare: true }).values()).toEqual([[1]]);
    expect(await connection.send("commit")).toMatchObject({ command: "SELECT" });
    const [first, second, third] = own.asked;
    expect(first).toMatchObject({ name: expect.stringMatching(/^palimpsest_[0-9a-f]{40}$/u), values: [1] });
    expect(second).toMatchObject({ name: first!.name, rowMode: "array" });
    expect(third).not.toHaveProperty("name");
  });

  it.each([
    [16, "t", true],
    [16, "f", false],
    [17, "\\x00ff", Buffer.from([0, 255])],
    [20, "9007199254740993", "9007199254740993"],
    [23, "-7", -7],
    [701, "0.5", 0.5],
    [1184, "2026-01-02 03:04:05+00", new Date("2026-01-02T03:04:05Z")],
    [3802, '{"a": [1]}', { a: [1] }],
  ])("reads the type %i as its own driver does", async (typeId, text, value) => {
    const own = createFakePool();
    const connection = await createCallersPool(own).take("ada");
    await connection.send("select");
    const parse = own.asked[0]!.types!.getTypeParser(typeId) as (text: string) => unknown;
    expect(parse(text)).toEqual(value);
  });

  it("reports a connection that is lost, and sends nothing more on it", async () => {
    const own = createFakePool();
    const pool = createCallersPool(own);
    const connection = await pool.take("ada");
    own.lose();
    await expect(connection.orLost(new Promise(() => undefined))).rejects.toMatchObject({
      cause: { code: "CONNECTION_CLOSED" },
    });
    expect(() => connection.send("select 1")).toThrow("lost");
    pool.release(connection, "clean");
    expect(own.returned).toEqual([true]);
  });

  it.each([
    ["of the server, with what it is about", { code: "23503", table: "steps" }, { code: "23503", table_name: "steps" }],
    ["of the driver, which has no code, as a lost connection", {}, { cause: { code: "CONNECTION_CLOSED" } }],
  ])("passes on an error %s", async (_title, facts, expected) => {
    const own = createFakePool(() => {
      throw Object.assign(new Error("refused"), facts);
    });
    const connection = await createCallersPool(own).take("ada");
    await expect(connection.send("select 1")).rejects.toMatchObject(expected);
  });

  it.each([
    ["that was ended", new Error("Cannot use a pool after calling end on the pool"), "store_unreachable"],
    ["that is a client", undefined, "config_invalid"],
    ["whose server refuses", Object.assign(new Error(), { code: "ECONNREFUSED" }), "ECONNREFUSED"],
  ])("refuses one %s", async (_title, error, code) => {
    const pool = createCallersPool({ ...createFakePool(), connect: (callback) => callback(error, undefined) });
    await expect(pool.take("ada")).rejects.toMatchObject({ code });
  });

  it("waits at its end for connections in use, takes back the others, and never ends the pool", async () => {
    const own = createFakePool();
    const pool = createCallersPool(own);
    const first = await pool.take("ada");
    let isOver = false;
    const closing = pool.close(3600).then(() => (isOver = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isOver).toBe(false);
    pool.release(first, "clean");
    await closing;
    expect(own.returned).toEqual([false]);
    await expect(pool.take("ada")).rejects.toMatchObject({ code: "store_unreachable" });
    const other = createCallersPool(own);
    const late = await other.take("ada");
    await other.close(0);
    other.release(late, "spoiled");
    expect(own.returned).toEqual([false, true]);
  });
});
