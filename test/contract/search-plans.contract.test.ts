// A search is planned once for each connection, when the tables may have been empty: on the embedded engine nothing plans it
// again. Its plans have to serve when they are full. On the engine at hand.
import { openDatabase } from "../../src/store/connection/database.ts";
import { searchByText } from "../../src/store/search/message-search.ts";
import { searchIn } from "../../src/store/search/passage-search.ts";
import type { Transaction } from "../../src/store/connection/transaction.ts";
import { useStore } from "../support/database.ts";
import { multiplyRows, rowsRead } from "../support/many-rows.ts";
import { newTalk, say, type Talk } from "../support/store-builders.ts";
import { useScene } from "../support/use-scene.ts";

const rows = 6000;
/** One in so many has the word that is asked for. */
const every = 40;
const dimensions = 8;

const { test, ada } = useStore({ isOwn: true });
const database = useScene(() => openDatabase({ connection: test.connection }));
let talk: Talk;
/** Has one message and one passage, beside those many. */
let small: Talk;

beforeAll(async () => {
  [talk, small] = [await newTalk(ada), await newTalk(ada)];
  for (const each of [talk, small]) {
    const [said] = await say(each, ["We met at the harbour."]);
    const id = said!.id;
    await ada.passages.add(
      each.agentId,
      [{ id, text: "The harbour is closed.", tags: [], kind: "memory", at: new Date() }],
      "api",
    );
    const vector = unit(0);
    await ada.passages.addVectors(each.agentId, { embedder, dimensions, rows: [{ passageId: id, vector }] });
    await ada.recall.addVectors(each.agentId, { embedder, dimensions, rows: [{ messageId: id, vector }] });
  }
});

const embedder = "test/plans";

function unit(place: number): readonly number[] {
  return Array.from({ length: dimensions }, (_, index) => (index === place ? 1 : 0));
}

const meaning = { vector: unit(1), embedder, dimensions, floor: -1 };
const page = { page: 0, pageSize: 10 };

const searchPassages = (tx: Transaction, { agentId }: Talk) =>
  searchIn({ statement: tx.run }, { agentId, text: "harbour", meaning, ...page, now: new Date() });

const searchMessages = (tx: Transaction, { agentId }: Talk) =>
  searchByText({ statement: tx.run }, { agentId, meaning, ...page }, "harbour");

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
    holder: "agent_id",
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
    holder: "archive_id",
    vectors: { passage_id: made, embedding: madeVector },
  },
])("a search over $name that was planned with one row", ({ name, search, named, holder, vectors }) => {
  const table = `${name}_${dimensions}`;

  it(`looks up by key with ${rows} rows`, async () => {
    await database.transaction("ada", async (tx) => {
      // As often as it takes until a plan is kept.
      for (let round = 0; round < 8; round += 1) expect((await search(tx, talk)).rows).toHaveLength(1);
      await multiplyRows(tx, { table: name, from: `agent_id = '${talk.agentId}'`, named, rows });
      await multiplyRows(tx, { table, from: `${holder} = '${talk.agentId}'`, named: vectors, rows });
      const before = await Promise.all([rowsRead(tx, name), rowsRead(tx, table)]);
      const found = await search(tx, talk);
      const after = await Promise.all([rowsRead(tx, name), rowsRead(tx, table)]);
      expect(found.rows).toHaveLength(10);
      expect(found.total).toBeGreaterThanOrEqual(rows / every / 2);
      expect(after.map(({ scanned }, index) => scanned - before[index]!.scanned)).toEqual([0, 0]);
      const [texts, compared] = after.map(({ fetched }, index) => fetched - before[index]!.fetched);
      // Each match, or each row, once; and for each candidate a few rows. A scan for each candidate would be a million.
      expect(texts).toBeGreaterThan(rows / every);
      expect(texts).toBeLessThan(2 * rows);
      // Each vector once, and once more that of what was found by words.
      expect(compared).toBeGreaterThanOrEqual(rows);
      expect(compared).toBeLessThan(1.2 * rows);
      // Beside them, what has one row reads no more than that of the vectors.
      expect((await search(tx, small)).rows).toHaveLength(1);
      expect((await rowsRead(tx, table)).fetched - after[1]!.fetched).toBeLessThan(10);
    });
  });
});
