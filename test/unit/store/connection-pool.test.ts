// Connections are with one taker at a time, and neither a dead nor a spoiled one is handed out.
import { createConnectionPool } from "../../../src/store/connection/connection-pool.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { createFakeChannel, type FakeChannel } from "../../support/fake-channel.ts";

function openPool(size = 2) {
  const opened: FakeChannel[] = [];
  const pool = createConnectionPool(
    async () => {
      const connection = createFakeChannel();
      opened.push(connection);
      return connection;
    },
    { size },
  );
  return { pool, opened };
}

describe("a pool of connections", () => {
  it("opens one if there is none, and reuses the one returned last", async () => {
    const { pool, opened } = openPool();
    const [first, second] = [await pool.take("ada"), await pool.take("ada")];
    expect(opened).toEqual([first, second]);
    pool.release(second, "clean");
    pool.release(first, "clean");
    expect(await pool.take("ada")).toBe(first);
    expect(await pool.take("ada")).toBe(second);
    expect(opened).toHaveLength(2);
  });

  it("makes callers wait while all are in use, in order", async () => {
    const { pool, opened } = openPool(1);
    const first = await pool.take("ada");
    const order: string[] = [];
    const later = ["b", "c"].map(async (name) => {
      const connection = await pool.take("ada");
      order.push(name);
      pool.release(connection, "clean");
    });
    await Promise.resolve();
    expect(order).toEqual([]);
    pool.release(first, "clean");
    await Promise.all(later);
    expect(order).toEqual(["b", "c"]);
    await pool.take("ada");
    void pool.take("ada");
    await new Promise((resolve) => setImmediate(resolve));
    expect(opened).toHaveLength(1);
  });

  it.each(["spoiled", "lost in use", "lost while idle"])("replaces one that is %s", async (how) => {
    const { pool, opened } = openPool(1);
    const first = await pool.take("ada");
    if (how === "lost in use") opened[0]!.lose();
    pool.release(first, how === "spoiled" ? "spoiled" : "clean");
    if (how === "lost while idle") opened[0]!.lose();
    expect(await pool.take("ada")).not.toBe(first);
    expect(opened[0]!.closed()).toBe(true);
    expect(opened).toHaveLength(2);
  });

  it("replaces those that were idle when another was lost: their loss may be undetected", async () => {
    const { pool, opened } = openPool();
    const [first, second] = [await pool.take("ada"), await pool.take("ada")];
    pool.release(second, "clean");
    opened[0]!.lose();
    pool.release(first, "spoiled");
    expect(opened.map((connection) => connection.closed())).toEqual([true, true]);
    await pool.take("ada");
    expect(opened).toHaveLength(3);
  });

  it("gives the slot of a failed connection to the next caller", async () => {
    const connection = createFakeChannel();
    const answers = [() => Promise.reject(new RangeError("refused")), () => Promise.resolve(connection)];
    const pool = createConnectionPool(() => answers.shift()!(), { size: 1 });
    const [refused, next] = [pool.take("ada"), pool.take("ada")];
    await expect(refused).rejects.toThrow("refused");
    expect(await next).toBe(connection);
  });

  it("waits at its end for those in use, and ends all", async () => {
    const { pool, opened } = openPool();
    const [first, second] = [await pool.take("ada"), await pool.take("ada")];
    pool.release(second, "clean");
    let isOver = false;
    const closing = pool.close(3600).then(() => (isOver = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isOver).toBe(false);
    pool.release(first, "clean");
    await closing;
    expect(opened.map((connection) => connection.closed())).toEqual([true, true]);
    await expect(pool.take("ada")).rejects.toMatchObject({ code: "store_unreachable" });
  });

  it("ends those that are not returned in time, and one that is still being opened", async () => {
    const made = createFakeChannel();
    let finish: (connection: FakeChannel) => void = () => undefined;
    const connections = [
      Promise.resolve(createFakeChannel()),
      new Promise<FakeChannel>((resolve) => (finish = resolve)),
    ];
    const pool = createConnectionPool(() => connections.shift()!, { size: 2 });
    const taken = (await pool.take("ada")) as FakeChannel;
    const late = pool.take("ada");
    await pool.close(0);
    expect(taken.closed()).toBe(true);
    finish(made);
    await expect(late).rejects.toMatchObject({ code: "store_unreachable" });
    expect(made.closed()).toBe(true);
  });

  it("closes a connection that is idle for too long, and no other", async () => {
    const clock = createManualClock();
    const opened: FakeChannel[] = [];
    const open = async () => {
      const connection = createFakeChannel();
      opened.push(connection);
      return connection;
    };
    const pool = createConnectionPool(open, { size: 3, idleMs: 1000, clock });
    const [first, second, third] = [await pool.take("ada"), await pool.take("ada"), await pool.take("ada")];
    pool.release(first, "clean");
    await clock.advance(600);
    pool.release(second, "clean");
    await clock.advance(399);
    expect(opened.map((connection) => connection.closed())).toEqual([false, false, false]);
    await clock.advance(1);
    expect(opened.map((connection) => connection.closed())).toEqual([true, false, false]);
    expect(pool.counts()).toEqual({ max: 3, open: 2, idle: 1, waiting: 0 });
    await clock.advance(600);
    expect(opened.map((connection) => connection.closed())).toEqual([true, true, false]);
    pool.release(third, "clean");
    expect(await pool.take("ada")).toBe(third);
    await clock.advance(5000);
    expect(opened[2]!.closed()).toBe(false);
  });

  it("does not hand out a connection that was idle for too long while the machine slept", async () => {
    const { now, advance } = createManualClock();
    // The timers of a machine that sleeps stand still.
    const clock = { now, sleep: () => new Promise<void>(() => undefined) };
    const opened: FakeChannel[] = [];
    const open = async () => {
      opened.push(createFakeChannel());
      return opened.at(-1)!;
    };
    const pool = createConnectionPool(open, { size: 2, idleMs: 1000, clock });
    const first = await pool.take("ada");
    pool.release(first, "clean");
    await advance(999);
    expect(await pool.take("ada")).toBe(first);
    pool.release(first, "clean");
    await advance(1000);
    expect(await pool.take("ada")).not.toBe(first);
    expect(opened.map((connection) => connection.closed())).toEqual([true, false]);
  });

  it("keeps idle connections for ever unless told otherwise", async () => {
    const { pool, opened } = openPool();
    pool.release(await pool.take("ada"), "clean");
    expect(pool.counts()).toEqual({ max: 2, open: 1, idle: 1, waiting: 0 });
    await pool.close(0);
    expect(opened[0]!.closed()).toBe(true);
  });
});
