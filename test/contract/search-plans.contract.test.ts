// A search is planned once for each connection, when the tables may have been empty: on the embedded engine nothing plans it
// again. Its plans have to serve when they are full. On the engine at hand.
import { type Database, openDatabase } from "../../src/store/database.ts";
import { searchByText } from "../../src/store/message-search.ts";
import { searchIn } from "../../src/store/passage-search.ts";
import type { Transaction } from "../../src/store/transaction.ts";
import { openTestStore, type TestStore } from "../support/database.ts";
import { multiplyRows, rowsRead } from "../support/many-rows.ts";
import { newTalk, say, type Talk } from "../support/store-builders.ts";

const rows = 6000;
/** One in so many has the word that is asked for. */
const every = 40;
const dimensions = 8;

let test: TestStore;
let database: Database;
let talk: Talk;

beforeAll(async () => {
  test = await openTestStore();
  const ada = test.store.as("ada");
  talk = await newTalk(ada);
  const [said] = await say(talk, ["We met at the harbour."]);
  const [passage] = ["The harbour is closed."];
  const id = said!.id;
  await ada.passages.add(talk.agentId, [{ id, content: passage!, tags: [], kind: "memory" }], "api");
  const vector = unit(0);
  await ada.passages.addVectors(talk.agentId, { embedder, dimensions, rows: [{ passageId: id, vector }] });
  await ada.recall.addVectors(talk.agentId, { embedder, dimensions, rows: [{ messageId: id, vector }] });
  database = await openDatabase({ connection: test.connection });
});

afterAll(async () => {
  await database.close();
  await test.close();
});

const embedder = "test/plans";

function unit(place: number): readonly number[] {
  return Array.from({ length: dimensions }, (_, index) => (index === place ? 1 : 0));
}

const meaning = { vector: unit(1), embedder, dimensions, floor: -1 };
const page = { page: 0, pageSize: 10 };

function searchPassages(tx: Transaction) {
  return searchIn(tx, { agentId: talk.agentId, text: "harbour", meaning, ...page });
}

function searchMessages(tx: Transaction) {
  return searchByText(tx, { agentId: talk.agentId, meaning, ...page }, "harbour");
}

const content = `case when n % ${every} = 0 then 'A harbour, ' else 'A meadow, ' end || n`;

const made = "md5('a row ' || n)::uuid";
const madeVector = `('[' || (n % 7) + 1 || ',1,0,0,0,0,0,' || n % 13 || ']')::vector(${dimensions})`;

describe.each([
  {
    name: "messages",
    search: searchMessages,
    named: {
      id: made,
      position: "r.position + n",
      text: content,
      search_text: `lower(${content})`,
      created_at: "r.created_at + n * interval '1 hour'",
    },
    vectors: { message_id: made, embedding: madeVector },
  },
  {
    name: "passages",
    search: searchPassages,
    named: {
      id: made,
      content,
      search_text: `lower(${content})`,
      content_hash: `sha256(convert_to(${content}, 'UTF8'))`,
    },
    vectors: { passage_id: made, embedding: madeVector },
  },
])("a search over $name that was planned while there was one", ({ name, search, named, vectors }) => {
  it(`looks up by key when there are ${rows}`, async () => {
    await database.transaction("ada", async (tx) => {
      // As often as it takes until a plan is kept.
      for (let round = 0; round < 8; round += 1) expect((await search(tx)).rows).toHaveLength(1);
      await multiplyRows(tx, { table: name, named, rows });
      await multiplyRows(tx, { table: `${name}_${dimensions}`, named: vectors, rows });
      const before = await rowsRead(tx, name);
      const found = await search(tx);
      const after = await rowsRead(tx, name);
      expect(found.rows).toHaveLength(10);
      expect(found.total).toBeGreaterThanOrEqual(rows / every / 2);
      expect(after.scanned - before.scanned).toBe(0);
      // Each match, or each row, once; and for each candidate a few rows. A scan for each candidate would be a million.
      expect(after.fetched - before.fetched).toBeGreaterThan(rows / every);
      expect(after.fetched - before.fetched).toBeLessThan(2 * rows);
    });
  });
});
