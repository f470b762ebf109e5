// Statements that are given keys look rows up by them, however many rows there are: also by a plan that was made when there was one,
// which the embedded engine keeps, and without statistics, which it has none of. On the engine at hand.
import { type Database, openDatabase } from "../../src/store/connection/database.ts";
import { forceCustomPlans } from "../../src/store/connection/force-custom-plans.ts";
import { countAccesses } from "../../src/store/archive/passage-store.ts";
import { neighboursOfMessages } from "../../src/store/search/recall-store.ts";
import { lockPassages } from "../../src/store/archive/synopsis-store.ts";
import { addVectors } from "../../src/store/sql/vectors.ts";
import type { Transaction } from "../../src/store/connection/transaction.ts";
import { useStore } from "../support/database.ts";
import { multiplyRows, rowsRead } from "../support/many-rows.ts";
import { newTalk, say, type Talk } from "../support/store-builders.ts";
import { useScene } from "../support/use-scene.ts";

const rows = 6000;
const [embedder, dimensions] = ["test/keys", 8] as const;
const passageId = "00000000-0000-4000-8000-000000000001";

const { test, ada } = useStore({ isOwn: true });
const database = useScene(() => openDatabase({ connection: test.connection }));
let talk: Talk;
let messageId: string;

beforeAll(async () => {
  talk = await newTalk(ada);
  const [said] = await say(talk, ["We met at the harbour."]);
  messageId = said!.id;
  await ada.passages.add(
    talk.agentId,
    [{ id: passageId, text: "The harbour is closed.", tags: [], kind: "memory", at: new Date() }],
    "api",
  );
  await ada.passages.addVectors(talk.agentId, { embedder, dimensions, rows: [] });
  // Of what the cases roll back, a server would take statistics of its own accord, some time within another case.
  for (const { name } of await test.ownerRows<{ readonly name: string }>(
    `select relname as name from pg_class
     where relkind = 'r' and relnamespace = current_schema()::regnamespace and relname ~ '^(passages|messages)(_p[0-9])?$'`,
  ))
    await test.ownerRows(`alter table ${name} set (autovacuum_enabled = false)`);
});

/** What the work gives; nothing of what it wrote stays. */
async function rolledBack<Result>(from: Database, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
  const done = new Error("rolled back");
  let result: Result | undefined;
  await expect(
    from.transaction("ada", async (tx) => {
      result = await work(tx);
      throw done;
    }),
  ).rejects.toBe(done);
  return result!;
}

const vector = "[1,0,0,0,0,0,0,0]";

async function vectors(tx: Transaction, statement: string, key: object): Promise<void> {
  await forceCustomPlans(tx);
  await tx.run(statement, ["ada", talk.agentId, embedder, JSON.stringify([{ ...key, vector }])]);
}

const made = "md5('a row ' || n)::uuid";
const passages = { id: made, content_hash: "sha256(convert_to(n::text, 'UTF8'))" };
const messages = { id: made, position: "r.position + n", created_at: "r.created_at + n * interval '1 hour'" };

describe.each([
  {
    name: "vectors of passages",
    table: "passages",
    named: passages,
    ask: (tx: Transaction) => vectors(tx, addVectors("passages", dimensions), { passage_id: passageId }),
  },
  {
    name: "vectors of messages",
    table: "messages",
    named: messages,
    ask: (tx: Transaction) => vectors(tx, addVectors("messages", dimensions), { message_id: messageId }),
  },
  {
    name: "accesses of passages",
    table: "passages",
    named: passages,
    ask: (tx: Transaction) => tx.run(countAccesses, ["ada", JSON.stringify([passageId]), new Date().toISOString()]),
  },
  {
    name: "passages that are held",
    table: "passages",
    named: passages,
    ask: (tx: Transaction) => tx.run(lockPassages, ["ada", JSON.stringify([passageId])]),
  },
  {
    name: "neighbours of messages",
    table: "messages",
    named: messages,
    ask: (tx: Transaction) => tx.run(neighboursOfMessages, ["ada", JSON.stringify([messageId]), 2]),
  },
])("$name, among $table", ({ table, named, ask }) => {
  it(`are looked up by their keys with ${rows} rows in the table`, async () => {
    const read = await rolledBack(database, async (tx) => {
      // As often as it takes until a plan is kept.
      for (let round = 0; round < 8; round += 1) await ask(tx);
      await multiplyRows(tx, { table, named, rows });
      const before = await rowsRead(tx, table);
      await ask(tx);
      const after = await rowsRead(tx, table);
      return { scanned: after.scanned - before.scanned, fetched: after.fetched - before.fetched };
    });
    expect(read.scanned).toBe(0);
    expect(read.fetched).toBeGreaterThan(0);
    expect(read.fetched).toBeLessThan(20);
  });
});
