// What belongs to a row that is being deleted: vectors are passed over, and those of the rest are kept; anything else is refused
// in words that say so. On the engine at hand; where two transactions are open at a time, the deletion stands between the look
// and the writing.
import type { UserStore } from "../../src/memory/store.ts";
import { type Database, openDatabase } from "../../src/store/database.ts";
import { isOnServer, openTestStore, type TestStore } from "../support/database.ts";
import { until } from "../support/embedded-folder.ts";
import { ids, newAgent, newTalk, say, type Talk } from "../support/store-builders.ts";

const kind = { embedder: "test", dimensions: 3 };
const vector = [1, 0, 0];

let test: TestStore;
let database: Database;
let ada: UserStore;
let talk: Talk;

beforeAll(async () => {
  test = await openTestStore();
  database = await openDatabase({ connection: test.connection });
  ada = test.store.as("ada");
  talk = await newTalk(ada);
});

afterAll(async () => {
  await database.close();
  await test.close();
});

/** Runs `work` while a row is being deleted, and lets the deletion end once `work` waits for it. */
async function whileDeleting(
  table: "passages" | "messages" | "agents",
  id: string,
  work: () => Promise<void>,
): Promise<void> {
  let writing: Promise<void> = Promise.resolve();
  await database.ownerTransaction(async (tx) => {
    await tx.run(`delete from ${table} where id = $1::uuid`, [id]);
    writing = work();
    writing.catch(() => undefined);
    if (isOnServer) await until(async () => (await test.ownerRows(waiting)).length > 0);
  });
  await writing;
}

const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

it("vectors of passages", async () => {
  const [gone, kept] = [ids.next(), ids.next()];
  const added = [gone, kept].map((id) => ({ id, content: id, tags: [], kind: "memory" as const }));
  await ada.passages.add(talk.agentId, added, "user");
  const rows = [gone, kept].map((passageId) => ({ passageId, vector }));
  await ada.passages.addVectors(talk.agentId, { ...kind, rows: [] });
  await whileDeleting("passages", gone, () => ada.passages.addVectors(talk.agentId, { ...kind, rows }));
  expect(await test.ownerRows("select passage_id as id from passages_3")).toEqual([{ id: kept }]);
});

it("vectors of messages", async () => {
  const [kept, gone] = await say(talk, ["The harbour is closed.", "Since when?"]);
  const rows = [gone!, kept!].map(({ id }) => ({ messageId: id, vector }));
  await ada.recall.addVectors(talk.agentId, { ...kind, rows: [] });
  await whileDeleting("messages", gone!.id, () => ada.recall.addVectors(talk.agentId, { ...kind, rows }));
  expect(await test.ownerRows("select message_id as id from messages_3")).toEqual([{ id: kept!.id }]);
});

it("a passage of an agent", async () => {
  const gone = await ada.agents.create(newAgent());
  const passage = { id: ids.next(), content: "The harbour is closed.", tags: [], kind: "memory" } as const;
  const adding = whileDeleting(
    "agents",
    gone.id,
    async () => void (await ada.passages.add(gone.id, [passage], "user")),
  );
  await expect(adding).rejects.toMatchObject(
    isOnServer
      ? {
          code: "store_failed",
          message: expect.stringMatching(
            /^What this was to belong to was deleted meanwhile \(SQLSTATE 23503, .*table passages.*\)\. Nothing was written/u,
          ),
        }
      : { code: "agent_not_found" },
  );
  expect(await test.ownerRows("select from passages where id = $1::uuid", [passage.id])).toEqual([]);
});
