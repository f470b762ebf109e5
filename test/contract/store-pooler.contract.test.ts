// A store behind a transaction pooler: each transaction may use another connection of the server.
import { openDatabase } from "../../src/store/connection/database.ts";
import { openTestStore, type TestStore } from "../support/database.ts";
import { onServer } from "../support/on-engine.ts";
import { newTalk, say } from "../support/store-builders.ts";

onServer("through a pooler", "npm run test:pooler starts one")("behind a transaction pooler", () => {
  let test: TestStore;

  beforeAll(async () => (test = await openTestStore()));

  afterAll(() => test.close());

  it("users that write at once see their own rows only, and nothing is lost", async () => {
    const users = Array.from({ length: 12 }, (_, index) => test.store.as(`user ${index}`));
    await Promise.all(
      users.map(async (user) => {
        const talk = await newTalk(user);
        for (let round = 0; round < 5; round += 1) await say(talk, [`${user.userId}, ${round}`]);
        const { messages } = await user.conversations.thread(talk.conversationId);
        expect(messages.map(({ text }) => text)).toEqual([0, 1, 2, 3, 4].map((round) => `${user.userId}, ${round}`));
      }),
    );
  });

  it("prepared statements that the pooler does not know are an error that names the setting", async () => {
    const { connection } = test;
    if (connection.kind !== "server") throw new RangeError("Expected a server.");
    const database = await openDatabase({ connection: { ...connection, hasPreparedStatements: true } });
    const ask = () =>
      database.transaction("ada", (tx) => tx.run("select count(*) from users where user_id = $1", ["ada"]));
    const rounds = Array.from({ length: 20 }, () => Promise.all(Array.from({ length: 10 }, ask)));
    await expect(Promise.all(rounds)).rejects.toMatchObject({
      code: "store_failed",
      message: expect.stringContaining('Set `preparedStatements` to "off"'),
    });
    await Promise.allSettled(rounds);
    await database.close();
  });
});
