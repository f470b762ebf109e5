// A search is planned once for each connection, when the tables may have been empty: on the embedded engine nothing plans it
// again. Its plans have to serve when they are full. On the engine at hand.
import { type Database, openDatabase } from "../../src/store/database.ts";
import { searchByText } from "../../src/store/message-search.ts";
import { searchIn } from "../../src/store/passage-search.ts";
import type { Transaction } from "../../src/store/transaction.ts";
import { openTestStore, type TestStore } from "../support/database.ts";
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

/** More rows like the one there is. What is not named here is as in that row. */
async function multiply(tx: Transaction, table: string, named: Readonly<Record<string, string>>): Promise<void> {
  const columns = await tx.run<{ readonly name: string }>(
    `select column_name as name from information_schema.columns
     where table_schema = current_schema() and table_name = $1 and is_generated = 'NEVER'`,
    [table],
  );
  const names = columns.map(({ name }) => name);
  const values = names.map((name) => named[name] ?? `r.${name}`);
  await tx.run(
    `insert into ${table} (${names.join(", ")})
     select ${values.join(", ")} from (select * from ${table} limit 1) r, generate_series(1, ${rows}) n`,
    [],
  );
}

const made = "md5('a row ' || n)::uuid";
const madeVector = `('[' || (n % 7) + 1 || ',1,0,0,0,0,0,' || n % 13 || ']')::vector(${dimensions})`;

/** What the transaction has read of a table so far: rows by scanning it, and rows through its indexes. */
async function readOf(tx: Transaction, table: string) {
  const [read] = await tx.run<{ readonly scanned: number; readonly fetched: number }>(
    `select coalesce(seq_tup_read, 0)::int as scanned, coalesce(idx_tup_fetch, 0)::int as fetched
     from pg_stat_xact_user_tables where relname = $1`,
    [table],
  );
  return read!;
}

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
      await multiply(tx, name, named);
      await multiply(tx, `${name}_${dimensions}`, vectors);
      const before = await readOf(tx, name);
      const found = await search(tx);
      const after = await readOf(tx, name);
      expect(found.rows).toHaveLength(10);
      expect(found.total).toBeGreaterThanOrEqual(rows / every / 2);
      expect(after.scanned - before.scanned).toBe(0);
      // Each match, or each row, once; and for each candidate a few rows. A scan for each candidate would be a million.
      expect(after.fetched - before.fetched).toBeGreaterThan(rows / every);
      expect(after.fetched - before.fetched).toBeLessThan(2 * rows);
    });
  });
});
