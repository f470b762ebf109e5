// What a test file leaves in the shared engine, and what the next one finds there.
import type { DatabaseConnection } from "../../src/store/connection/database-client.ts";
import { createTestDatabase, openTestStore, type TestStore } from "../support/database.ts";
import { onEngine } from "../support/on-engine.ts";
import { newAgent } from "../support/store-builders.ts";

const folderOf = (connection: DatabaseConnection) => (connection.kind === "embedded" ? connection.folder : null);

const tablesOf = async ({ ownerRows }: TestStore) =>
  (
    await ownerRows<{ readonly name: string }>(
      "select tablename as name from pg_tables where schemaname = current_schema() order by 1",
    )
  ).map(({ name }) => name);

onEngine("embedded engine", "a server gives each file a database of its own")("the shared engine", () => {
  it("is empty, in the same folder, without the tables of earlier vector widths", async () => {
    const first = await openTestStore();
    const tables = await tablesOf(first);
    await first.store.as("ada").agents.create(newAgent());
    await first.ownerRows("select ensure_vector_tables(7)");
    expect(await tablesOf(first)).toHaveLength(tables.length + 2);
    await first.close();
    const second = await openTestStore();
    expect(folderOf(second.connection)).toBe(folderOf(first.connection));
    expect(await second.store.as("ada").agents.list()).toEqual([]);
    expect(await second.ownerRows("select from users")).toEqual([]);
    expect(await tablesOf(second)).toEqual(tables);
    await second.close();
  });

  it.each([
    "alter table agents add column more text",
    "alter table agents disable row level security",
    "create role more_rights",
    "drop function owns_agent(uuid) cascade",
    "revoke select on agents from palimpsest_runtime",
  ])("is discarded after: %s", async (statement) => {
    const first = await openTestStore();
    await first.ownerRows(statement);
    await first.close();
    const second = await openTestStore();
    expect(folderOf(second.connection)).not.toBe(folderOf(first.connection));
    await second.store.as("ada").agents.create(newAgent());
    await second.close();
  });

  it("has one user at a time: another gets its own engine", async () => {
    const [one, other, own] = [
      await createTestDatabase(),
      await createTestDatabase(),
      await createTestDatabase({ isOwn: true }),
    ];
    expect(new Set([one, other, own].map(({ connection }) => folderOf(connection))).size).toBe(3);
    for (const database of [one, other, own]) await database.remove();
  });
});
