// What is sent for a transaction and when, and in which condition its connection is given back, whatever goes wrong.
import { createConnectionPool } from "../../../src/store/connection/connection-pool.ts";
import { type LossStage, runTransaction, type Transaction } from "../../../src/store/connection/transaction.ts";
import { commandOf, createFakeChannel, type FakeChannel } from "../../support/fake-channel.ts";

const setting = "set role";

/** Runs the work on the channel; `lostAt` is how far it had come when the connection was lost. */
function run(connection: FakeChannel, work: (tx: Transaction) => Promise<unknown>) {
  let lostAt: LossStage | null = null;
  const pool = createConnectionPool(async () => connection, { size: 1 });
  const onLost = (stage: LossStage): void => {
    lostAt = stage;
  };
  return { outcome: runTransaction(pool, { setting, queue: "ada", work, onLost }), lostAt: () => lostAt };
}

/** Throws as the driver does, for statements that hold `part`. */
const failing = (part: string, code: string) => (statement: string) => {
  if (statement.includes(part)) throw Object.assign(new RangeError(`failed: ${part}`), { code });
  return commandOf(statement);
};

describe("a transaction", () => {
  it("sends its beginning, its setting and its first statement before any of them is answered", async () => {
    let answerBegin: (answer: unknown) => void = () => undefined;
    const connection = createFakeChannel((statement) => {
      if (statement.startsWith("begin")) return new Promise((resolve) => (answerBegin = resolve));
      answerBegin(commandOf("begin"));
      return commandOf(statement);
    });
    const { outcome, lostAt } = run(connection, (tx) => tx.run("select 1", []));
    await outcome;
    expect(connection.sent).toEqual(["begin; set role", "select 1", "commit"]);
    expect(lostAt()).toBeNull();
    expect(connection.closed()).toBe(false);
  });

  it("is rolled back when its work throws, at once or later", async () => {
    for (const work of [
      () => {
        throw new RangeError("mine");
      },
      (tx: Transaction) =>
        tx.run("select 1", []).then(() => {
          throw new RangeError("mine");
        }),
    ]) {
      const connection = createFakeChannel();
      await expect(run(connection, work).outcome).rejects.toThrow("mine");
      expect(connection.sent.at(-1)).toBe("rollback");
      expect(connection.closed()).toBe(false);
    }
  });

  it("is rolled back when a statement failed, even if the work continued", async () => {
    const connection = createFakeChannel(failing("select 1", "22P02"));
    const { outcome } = run(connection, (tx) => tx.run("select 1", []).catch(() => "no matter"));
    await expect(outcome).rejects.toThrow("failed: select 1");
    expect(connection.sent).toEqual(["begin; set role", "select 1", "rollback"]);
  });

  it("throws the first failure, not errors that it caused", async () => {
    const refuse = failing("select 2", "25P02");
    const connection = createFakeChannel((statement) => {
      if (statement.startsWith("begin")) throw Object.assign(new RangeError("no such role"), { code: "22023" });
      return refuse(statement);
    });
    const { outcome } = run(connection, (tx) => tx.run("select 2", []));
    await expect(outcome).rejects.toThrow("no such role");
  });

  it("fails when the database answered its commit by rolling back", async () => {
    let failLate: (error: Error) => void = () => undefined;
    const connection = createFakeChannel((statement) => {
      if (statement === "select 1") return new Promise((_, reject) => (failLate = reject));
      if (statement !== "commit") return commandOf(statement);
      failLate(new RangeError("failed late"));
      return { command: "ROLLBACK" };
    });
    const { outcome } = run(connection, async (tx) => void tx.run("select 1", []).catch(() => undefined));
    await expect(outcome).rejects.toThrow("failed late");
    expect(connection.closed()).toBe(false);
  });

  it("refuses a statement after its end, which would run outside of it", async () => {
    const connection = createFakeChannel();
    let kept: Transaction | null = null;
    await run(connection, async (tx) => void (kept = tx)).outcome;
    await expect(kept!.run("select 1", [])).rejects.toMatchObject({ code: "store_failed" });
    expect(connection.sent).toEqual(["begin; set role", "commit"]);
  });
});

describe("the last statement of a transaction", () => {
  const last = (tx: Transaction) => tx.runLast("select 1", []);

  it("is sent with the commit before it is answered", async () => {
    const answers: (() => void)[] = [];
    const connection = createFakeChannel(
      (statement) => new Promise((resolve) => answers.push(() => resolve(commandOf(statement)))),
    );
    const { outcome } = run(connection, last);
    await new Promise((resolve) => setImmediate(resolve));
    expect(connection.sent).toEqual(["begin; set role", "select 1", "commit"]);
    for (const answer of answers) answer();
    await outcome;
    expect(connection.closed()).toBe(false);
  });

  it("fails the transaction with its own error, which the database has rolled back", async () => {
    const connection = createFakeChannel((statement) => {
      if (statement === "commit") return { command: "ROLLBACK" };
      return failing("select 1", "23505")(statement);
    });
    await expect(run(connection, last).outcome).rejects.toThrow("failed: select 1");
    expect(connection.sent).toEqual(["begin; set role", "select 1", "commit"]);
    expect(connection.closed()).toBe(false);
  });

  it("may have been committed when the connection was lost before any answer", async () => {
    const connection = createFakeChannel((statement) => {
      if (statement === "commit") connection.lose();
      return new Promise(() => undefined);
    });
    const { outcome, lostAt } = run(connection, last);
    await expect(outcome).rejects.toMatchObject({ code: "store_unreachable" });
    expect(lostAt()).toBe("committing");
    expect(connection.closed()).toBe(true);
  });

  it("cannot be followed by another", async () => {
    const connection = createFakeChannel();
    const { outcome } = run(connection, async (tx) => {
      await tx.runLast("select 1", []);
      await tx.run("select 2", []);
    });
    await expect(outcome).rejects.toMatchObject({ code: "store_failed" });
    expect(connection.sent).toEqual(["begin; set role", "select 1", "commit"]);
  });
});

describe("the connection of a transaction", () => {
  it("is ended when the transaction could not be rolled back", async () => {
    const connection = createFakeChannel(failing("rollback", "XX000"));
    const { outcome } = run(connection, async () => {
      throw new RangeError("mine");
    });
    await expect(outcome).rejects.toThrow("mine");
    expect(connection.closed()).toBe(true);
  });

  it("receives nothing more after it was lost, and the transaction fails at once", async () => {
    const connection = createFakeChannel();
    const { outcome } = run(connection, async (tx) => {
      await tx.run("select 1", []);
      connection.lose();
      await new Promise(() => undefined);
    });
    await expect(outcome).rejects.toMatchObject({ code: "store_unreachable" });
    expect(connection.sent).toEqual(["begin; set role", "select 1"]);
    expect(connection.closed()).toBe(true);
  });

  it.each<readonly [LossStage, string, string | null]>([
    ["beginning", "begin", null],
    ["asking", "select 1", null],
    ["committing", "commit", null],
    // What did not reach the database leaves the transaction where it was.
    ["between", "select 1", "EPIPE"],
    ["between", "commit", "EPIPE"],
    ["between", "commit", "25P03"],
  ])("is ended when it was lost, which was %s, with %s unanswered", async (stage, lastSent, code) => {
    const connection = createFakeChannel((statement) => {
      if (!statement.startsWith(lastSent)) return commandOf(statement);
      if (code !== null) throw Object.assign(new RangeError("not sent"), { code });
      connection.lose();
      return new Promise(() => undefined);
    });
    const { outcome, lostAt } = run(connection, (tx) => tx.run("select 1", []));
    await expect(outcome).rejects.toThrow();
    expect(lostAt()).toBe(stage);
    if (code === null) expect(connection.closed()).toBe(true);
  });

  it("is read before a commit after a long silence: the database may have closed it", async () => {
    const connection = createFakeChannel();
    const { outcome, lostAt } = run(connection, async (tx) => {
      await tx.run("select 1", []);
      // The end of the connection waits unread while the loop is blocked.
      setImmediate(() => connection.lose());
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    });
    await expect(outcome).rejects.toMatchObject({ code: "store_unreachable" });
    expect(connection.sent).toEqual(["begin; set role", "select 1"]);
    expect(lostAt()).toBe("between");
  });
});
