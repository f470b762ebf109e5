// Vectors of any width, each in tables of their own that are made when the first one comes. On the engine at hand.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { openDatabase } from "../../src/store/connection/database.ts";
import { openTestStore, useStore } from "../support/database.ts";
import { ids, newAgent } from "../support/store-builders.ts";
import { useScene } from "../support/use-scene.ts";

const { test, ada } = useStore({ isOwn: true });
const database = useScene(() => openDatabase({ connection: test.connection }));
let agentId: string;

beforeEach(async () => (agentId = (await ada.agents.create(newAgent())).id));

/** A passage with a unit vector of this width, all of it in one of its numbers. */
async function addWith(dimensions: number, place: number, embedder = `test-${dimensions}`): Promise<string> {
  const passageId = ids.next();
  const content = `${embedder} ${place}`;
  await ada.passages.add(agentId, [{ id: passageId, text: content, tags: [], kind: "memory", at: new Date() }], "user");
  await ada.passages.addVectors(agentId, {
    embedder,
    dimensions,
    rows: [{ passageId, vector: unit(dimensions, place) }],
  });
  return content;
}

function unit(dimensions: number, place: number): readonly number[] {
  return Array.from({ length: dimensions }, (_, index) => (index === place ? 1 : 0));
}

async function nearestTo(vector: readonly number[], store = ada, of = agentId): Promise<readonly string[]> {
  const meaning = { vector, embedder: `test-${vector.length}`, dimensions: vector.length, floor: 0.5 };
  const found = await store.passages.search({ agentId: of, text: "", meaning, page: 0, pageSize: 5, now: new Date() });
  return found.rows.map((row) => row.text);
}

describe("vectors of several widths", () => {
  it.each([3, 384, 768, 1024, 1536, 2000, 2001, 3072])("are stored and found separately: %d", async (dimensions) => {
    const [first] = [await addWith(dimensions, 0), await addWith(dimensions, 1), await addWith(512, 0)];
    expect(await nearestTo(unit(dimensions, 0))).toEqual([first]);
    expect(
      await ada.passages.withoutVector(agentId, { embedder: `test-${dimensions}`, dimensions, limit: 5 }),
    ).toHaveLength(1);
  });

  it("are stored so that the planner counts the cost of reading them, and above 2,000 dimensions at half precision on a server", async () => {
    await addWith(1536, 0);
    await addWith(3072, 0);
    const columns = await test.ownerRows<{ name: string; kind: string; storage: string }>(
      `select attrelid::regclass::text as name, format_type(atttypid, atttypmod) as kind, attstorage as storage
       from pg_attribute where attname = 'embedding' and attrelid::regclass::text in ('passages_1536', 'passages_3072') order by 1`,
    );
    const wide =
      test.connection.kind === "server"
        ? { kind: "halfvec(3072)", storage: "p" }
        : { kind: "vector(3072)", storage: "e" };
    expect(columns).toEqual([
      { name: "passages_1536", kind: "vector(1536)", storage: "p" },
      { name: "passages_3072", ...wide },
    ]);
  });

  it("get their tables once, despite concurrent writers, with policies", async () => {
    const make = (userId: string) =>
      database.transaction(userId, (tx) => tx.run("select ensure_vector_tables(7)::text as made", []));
    const made = await Promise.all(["ada", "ben", "eve", "ada"].map(make));
    expect(made).toEqual(made.map(() => [{ made: "" }]));
    const tables = await test.ownerRows(
      "select relname as name, relrowsecurity as isolated from pg_class where relname in ('passages_7', 'messages_7') order by 1",
    );
    expect(tables).toEqual([
      { name: "messages_7", isolated: true },
      { name: "passages_7", isolated: true },
    ]);
  });

  it.each([0, -1, 16_001])("cannot have %d dimensions", async (width) => {
    const refused = database.transaction("ada", (tx) => tx.run(`select ensure_vector_tables(${width})`, []));
    await expect(refused).rejects.toMatchObject({ code: "store_failed" });
  });

  it("of other users and archives are not found", async () => {
    await addWith(5, 0);
    const other = await ada.agents.create(newAgent());
    await ada.agents.share(agentId, "ben");
    await test.store.as("ben").agents.accept(agentId);
    expect(await nearestTo(unit(5, 0))).toHaveLength(1);
    expect(await nearestTo(unit(5, 0), ada, other.id)).toEqual([]);
    expect(await nearestTo(unit(5, 0), test.store.as("ben"))).toEqual([]);
    const rows = (userId: string) => database.transaction(userId, (tx) => tx.run("select from passages_5", []));
    expect([(await rows("ada")).length, (await rows("ben")).length]).toEqual([1, 0]);
  });

  it("are deleted with their passages, and restored from a backup", async () => {
    const content = await addWith(6, 2);
    const folder = mkdtempSync(path.join(tmpdir(), "palimpsest-test-"));
    const target = await openTestStore({ isOwn: true });
    try {
      const file = path.join(folder, "backup.gz");
      await test.store.backup(file);
      await target.store.restore(file);
      expect(await nearestTo(unit(6, 2), target.store.as("ada"))).toEqual([content]);
    } finally {
      rmSync(folder, { recursive: true });
      await target.close();
    }
    await ada.agents.delete(agentId);
    expect(await test.ownerRows("select from passages_6")).toEqual([]);
  });
});
