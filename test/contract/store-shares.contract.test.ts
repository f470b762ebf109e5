// What one user's statements cost others: how long a transaction waits, and how long a statement may take.
import { type Database, openDatabase } from "../../src/store/connection/database.ts";
import { useDatabase } from "../support/database.ts";
import { onEngine } from "../support/on-engine.ts";

const place = useDatabase();

async function using(statementMs: number | undefined, use: (database: Database) => Promise<void>): Promise<void> {
  const limit = statementMs === undefined ? {} : { statementMs };
  const database = await openDatabase({ connection: { ...place.connection, ...limit } });
  try {
    await use(database);
  } finally {
    await database.close();
  }
}

test("a transaction waits for few of those of another user, however many wait", async () => {
  await using(undefined, async (database) => {
    const order: string[] = [];
    const ask = async (userId: string): Promise<void> => {
      await database.transaction(userId, (tx) => tx.run("select 1", []));
      order.push(userId);
    };
    // Opens all connections.
    await Promise.all(Array.from({ length: 20 }, (_, number) => ask(`user-${number}`)));
    order.length = 0;
    await Promise.all([...Array.from({ length: 60 }, () => ask("hostile")), ask("victim")]);
    expect(order).toHaveLength(61);
    expect(order.indexOf("victim")).toBeLessThan(30);
  });
});

onEngine("server", "the embedded engine has no timer for statements")("a statement that takes too long", () => {
  const slow = "select pg_sleep(20)";

  it("is cancelled with an error that names the setting, and its connection goes on", async () => {
    await using(200, async (database) => {
      for (let trial = 0; trial < 3; trial += 1)
        await expect(database.transaction("ada", (tx) => tx.run(slow, []))).rejects.toMatchObject({
          code: "store_timeout",
          message: expect.stringContaining("`maxStatementSeconds`"),
        });
      expect(await database.transaction("ada", (tx) => tx.run("select 1 as one", []))).toEqual([{ one: 1 }]);
    });
  });

  it("has no limit as the owner of the tables: a migration, a backup", async () => {
    await using(50, async (database) => {
      const asked = database.ownerTransaction((tx) => tx.run<{ done: number }>("select 1 as done, pg_sleep(0.5)", []));
      expect((await asked)[0]).toMatchObject({ done: 1 });
    });
  });
});
