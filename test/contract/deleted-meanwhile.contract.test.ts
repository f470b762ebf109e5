// What belongs to a row that is being deleted: vectors are passed over without waiting, and those of the rest are kept; anything
// else waits, and is refused in words that say so. On the engine at hand; a server has two transactions open at a time.
import { openDatabase } from "../../src/store/connection/database.ts";
import { isOnServer, useStore } from "../support/database.ts";
import { until } from "../support/until.ts";
import { ids, newAgent, newTalk, say, type Talk } from "../support/store-builders.ts";
import { useScene } from "../support/use-scene.ts";

const kind = { embedder: "test", dimensions: 3 };
const vector = [1, 0, 0];

const { test, ada } = useStore();
const database = useScene(() => openDatabase({ connection: test.connection }));
let talk: Talk;

beforeAll(async () => (talk = await newTalk(ada)));

const items = {
  passages: {
    async add(count: number) {
      const added = Array.from({ length: count }, () => ids.next());
      const passages = added.map((id) => ({ id, text: id, tags: [], kind: "memory" as const, at: new Date() }));
      await ada.passages.add(talk.agentId, passages, "user");
      return added;
    },
    addVectors: (of: readonly string[]) =>
      ada.passages.addVectors(talk.agentId, { ...kind, rows: of.map((passageId) => ({ passageId, vector })) }),
    async withoutVector() {
      const found = await ada.passages.withoutVector(talk.agentId, { ...kind, limit: 10 });
      return found.map(({ id }) => id);
    },
    item: "passage_id",
  },
  messages: {
    add: async (count: number) =>
      (
        await say(
          talk,
          Array.from({ length: count }, () => ids.next()),
        )
      ).map(({ id }) => id),
    addVectors: (of: readonly string[]) =>
      ada.recall.addVectors(talk.agentId, { ...kind, rows: of.map((messageId) => ({ messageId, vector })) }),
    async withoutVector() {
      const found = await ada.recall.withoutVector(talk.agentId, { ...kind, limit: 10 });
      return found.map(({ id }) => id);
    },
    item: "message_id",
  },
};

describe.each(["passages", "messages"] as const)("vectors of %s that are being deleted concurrently", (table) => {
  const { add, addVectors, withoutVector, item } = items[table];

  beforeEach(() => addVectors([]));

  afterEach(() => test.ownerRows(`delete from ${table}`));

  const withVector = async (of: readonly string[]) =>
    (await test.ownerRows<{ id: string }>(`select ${item} as id from ${table}_3`))
      .map(({ id }) => id)
      .filter((id) => of.includes(id));

  /** Deletes them one after the other; after the first, `work` is begun, and on a server must end without waiting for this. */
  async function deleteWhile(deleted: readonly string[], work: () => Promise<void>, isTakenBack = false) {
    let writing: Promise<void> = Promise.resolve();
    await database.ownerTransaction(async (tx) => {
      for (const [place, id] of deleted.entries()) {
        await tx.run(`delete from ${table} where id = $1::uuid`, [id]);
        if (place > 0) continue;
        let isWritten = false;
        writing = work().then(() => void (isWritten = true));
        writing.catch(() => undefined);
        if (isOnServer) await until(async () => isWritten || (await test.ownerRows(waiting)).length > 0);
        expect(isWritten).toBe(isOnServer);
      }
      if (isTakenBack) throw new Error("taken back");
    });
    await writing;
  }

  it("are skipped", async () => {
    const [gone, kept] = await add(2);
    await deleteWhile([gone!], () => addVectors([gone!, kept!]));
    expect(await withVector([gone!, kept!])).toEqual([kept]);
  });

  it("do not block a deletion of further rows, in any order", async () => {
    const [first, second] = await add(2);
    await deleteWhile([first!, second!], () => addVectors([second!, first!]));
    expect(await withVector([first!, second!])).toEqual([]);
    const [third, fourth] = await add(2);
    await deleteWhile([fourth!, third!], () => addVectors([third!, fourth!]));
    expect(await withVector([third!, fourth!])).toEqual([]);
  });

  it("are missing after the deletion is rolled back", async () => {
    const [stays, other] = await add(2);
    let writing: Promise<void> = Promise.resolve();
    const work = () => (writing = addVectors([stays!, other!]));
    await expect(deleteWhile([stays!], work, true)).rejects.toThrow("taken back");
    await writing;
    const missing = isOnServer ? [stays] : [];
    expect((await withoutVector()).filter((id) => id === stays || id === other)).toEqual(missing);
    await addVectors([stays!]);
    expect(await withoutVector()).toEqual([]);
  });
});

/** Runs `work` while an agent is being deleted, and lets the deletion end once `work` waits for it. */
async function whileDeleting(agentId: string, work: () => Promise<void>): Promise<void> {
  let writing: Promise<void> = Promise.resolve();
  await database.ownerTransaction(async (tx) => {
    await tx.run("delete from agents where id = $1::uuid", [agentId]);
    writing = work();
    writing.catch(() => undefined);
    if (isOnServer) await until(async () => (await test.ownerRows(waiting)).length > 0);
  });
  await writing;
}

const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

it("a passage of an agent", async () => {
  const gone = await ada.agents.create(newAgent());
  const passage = { id: ids.next(), text: "The harbour is closed.", tags: [], kind: "memory", at: new Date() } as const;
  const adding = whileDeleting(gone.id, async () => void (await ada.passages.add(gone.id, [passage], "user")));
  await expect(adding).rejects.toMatchObject(
    isOnServer
      ? {
          code: "store_failed",
          message: expect.stringMatching(
            /^A record that this write refers to was deleted concurrently \(SQLSTATE 23503, .*table passages.*\)\. Nothing was written/u,
          ),
        }
      : { code: "agent_not_found" },
  );
  expect(await test.ownerRows("select from passages where id = $1::uuid", [passage.id])).toEqual([]);
});
