// A backup contains every table that the database has, and what is restored from it is equal row by row. The tables are the
// database's own, so a new table is included. On the engine at hand.
import path from "node:path";
import { composeRuntime } from "../../src/runtime/compose/compose.ts";
import type { Store } from "../../src/store/port/store.ts";
import { namedObjects } from "../../src/store/objects/named-objects.ts";
import { storedTables, vectorTable } from "../../src/store/backup/stored-tables.ts";
import { openTestStore, type TestStore } from "../support/database.ts";
import { fillScene, tablesOf } from "../support/isolation-scene.ts";
import { keep, nodeExchange, textsOf } from "../support/node-scene.ts";
import { useFolder } from "../support/folders.ts";

let source: TestStore;
let target: TestStore;
const folder = useFolder();

beforeAll(async () => {
  [source, target] = [await openTestStore({ isOwn: true }), await openTestStore()];
  await fillScene(source);
});

afterAll(async () => {
  await source.close();
  await target.close();
});

/** Every row of every table, with all columns. */
async function everything(test: TestStore): Promise<Readonly<Record<string, readonly string[]>>> {
  const tables: Record<string, readonly string[]> = {};
  for (const table of await tablesOf({ test })) {
    const rows = await test.ownerRows<{ readonly row: string }>(
      `select to_jsonb(t)::text as row from "${table}" t order by 1`,
    );
    tables[table] = rows.map(({ row }) => row);
  }
  return tables;
}

const nodeMemoryOf = (runtime: Awaited<ReturnType<typeof runtimeOf>>) =>
  runtime.nodeMemory.open({ app: "app", conversation: "talk", node: "node" });

function runtimeOf(store: Store) {
  return composeRuntime({ userId: "nora", model: "demo", embedder: null }, { store });
}

const isVectorTable = (name: string): boolean => vectorTable(name) !== undefined;

it("every table of the database is in the schema, or is a vector table", async () => {
  const derived = new Set(storedTables.map(({ name }) => name));
  const unknown = (await tablesOf({ test: source })).filter((name) => !derived.has(name) && !isVectorTable(name));
  expect(unknown).toEqual([]);
});

it("each table comes after those that its foreign keys name", async () => {
  const keys = await source.ownerRows<{ readonly table: string; readonly target: string }>(
    `select conrelid::regclass::text as table, confrelid::regclass::text as target from pg_constraint
     where contype = 'f' and conparentid = 0 and connamespace = current_schema()::regnamespace and conrelid <> confrelid`,
  );
  const place = (name: string): number => storedTables.findIndex((table) => table.name === name);
  const wrong = keys.filter(({ table, target: named }) => !isVectorTable(table) && place(table) <= place(named));
  expect(keys.length).toBeGreaterThan(storedTables.length);
  expect(wrong).toEqual([]);
});

it("every table with a column `object_key` counts as a table that names objects", async () => {
  const tables = await source.ownerRows<{ readonly table: string }>(
    `select table_name as table from information_schema.columns
     where table_schema = current_schema() and column_name = 'object_key'
       and table_name not in (select relname from pg_class where relispartition) order by 1`,
  );
  const naming = tables.map(({ table }) => table).filter((table) => table !== "object_deletions");
  expect(naming.filter((table) => !namedObjects.includes(`from ${table}`))).toEqual([]);
  expect(naming.length).toBeGreaterThan(1);
});

it("a restored database has every row of every table, and the history of a node memory", async () => {
  const before = await runtimeOf(source.store);
  await keep(nodeMemoryOf(before), nodeExchange("m1", null), nodeExchange("m2", "m1"));
  const history = await textsOf(nodeMemoryOf(before));
  await before.close();
  const rows = await everything(source);
  expect(Object.entries(rows).filter(([, kept]) => kept.length === 0)).toEqual([]);
  const file = path.join(folder, "all.jsonl.gz");
  await source.store.backup(file);
  await target.store.restore(file);
  expect(await everything(target)).toEqual(rows);
  const after = await runtimeOf(target.store);
  expect(history).toHaveLength(4);
  expect(await textsOf(nodeMemoryOf(after))).toEqual(history);
  await after.close();
});

it("of two concurrent restores one is complete, and the other is refused", async () => {
  const both = await openTestStore({ isOwn: true });
  const file = path.join(folder, "both.jsonl.gz");
  await source.store.backup(file);
  const outcomes = await Promise.allSettled([both.store.restore(file), both.store.restore(file)]);
  const found = await everything(both);
  await both.close();
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  expect(outcomes.find(({ status }) => status === "rejected")).toMatchObject({
    reason: { code: "store_failed", message: expect.stringContaining("empty database to restore into") },
  });
  expect(found).toEqual(await everything(source));
});
