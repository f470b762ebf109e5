// Keeping a database in shape, on the engine at hand: which indexes are built, kept, mended or refused, and what the doctor sees.
import { randomBytes } from "node:crypto";
import postgres from "postgres";
import type { OptimizedTable, OptimizeOptions } from "../../src/store/port/upkeep.ts";
import { createStoreInspector } from "../../src/store/inspection/create-store-inspector.ts";
import { optimizeDatabase } from "../../src/store/upkeep/optimize-database.ts";
import { minIndexedVectors } from "../../src/store/upkeep/vector-index.ts";
import { isOnServer, useStore } from "../support/database.ts";
import { onEngine } from "../support/on-engine.ts";
import { useScene } from "../support/use-scene.ts";

const { test } = useStore({ isOwn: true });
const inspected = useScene(() => createStoreInspector({ connection: test.connection }).open());
let serverUrl = "";

beforeAll(async () => {
  if (test.connection.kind === "server") serverUrl = test.connection.url;
  // Their widths are used by nothing else.
  await test.ownerRows("create table passages_3 (embedding vector(3) not null)");
  await test.ownerRows("create table passages_2500 (embedding vector(2500) not null)");
  await addVectors(100);
});

function addVectors(count: number) {
  return test.ownerRows(
    "insert into passages_3 select array[sin(n), cos(n), 1]::vector from generate_series(1, $1::int) n",
    [count],
  );
}

async function optimized(table: string, options: OptimizeOptions = {}): Promise<OptimizedTable> {
  const { tables } = await test.store.optimize(options);
  return tables.find((each) => each.table === table)!;
}

const indexes = () =>
  test.ownerRows<{ readonly name: string; readonly valid: boolean }>(
    `select i.relname as name, x.indisvalid as valid from pg_index x join pg_class i on i.oid = x.indexrelid
     where x.indrelid = 'passages_3'::regclass`,
  );

const built = [{ name: "passages_3_hnsw_index", valid: true }];

const breakIndex = () =>
  test.ownerRows(
    "update pg_index set indisvalid = false where indexrelid = (select oid from pg_class where relname = 'passages_3_hnsw_index')",
  );

describe("optimizing", () => {
  it("leaves tables of other programs alone, even if they contain vectors", async () => {
    const others = ["memories", "passages_2026"];
    for (const other of others) await test.ownerRows(`create table ${other} (embedding vector(3) not null)`);
    const { tables, analyzed } = await test.store.optimize();
    const touched = new Set([...tables.map(({ table }) => table), ...analyzed]);
    expect(others.filter((other) => touched.has(other))).toEqual([]);
  });

  it("lists the partitions of a table of vectors, whatever their names", async () => {
    await test.ownerRows("create table messages_4 (id text, embedding vector(4)) partition by hash (id)");
    await test.ownerRows(
      "create table part_of_messages partition of messages_4 for values with (modulus 1, remainder 0)",
    );
    const { tables } = await test.store.optimize();
    const names = tables.map(({ table }) => table);
    await test.ownerRows("drop table messages_4");
    expect(names).toContain("part_of_messages");
    expect(names).not.toContain("messages_4");
  });

  it("leaves small tables without an index, and updates the statistics of all searched tables", async () => {
    const { tables, analyzed } = await test.store.optimize();
    expect(analyzed).toEqual(expect.arrayContaining(["messages", "passages", "passages_3", "passages_2500"]));
    expect(tables.find(({ table }) => table === "passages_3")).toMatchObject({
      vectors: 100,
      dimensions: 3,
      index: "none",
      outcome: "not-due",
      indexBytes: 0,
    });
    expect(await indexes()).toEqual([]);
    const [known] = await test.ownerRows("select reltuples::int as rows from pg_class where relname = 'passages_3'");
    expect(known).toEqual({ rows: 100 });
  });

  it("builds an index from the given number of vectors on, logs it before, and keeps it in the next run", async () => {
    const told: string[] = [];
    const options = { minVectors: 100, log: (line: string) => void told.push(line) };
    expect(await optimized("passages_3", { minVectors: 101 })).toMatchObject({ outcome: "not-due" });
    const made = await optimized("passages_3", options);
    expect(made).toMatchObject({ index: "none", outcome: "built", vectors: 100 });
    expect(made.indexBytes).toBeGreaterThan(0);
    expect(await indexes()).toEqual(built);
    const [index] = await test.ownerRows<{ readonly options: string | null }>(
      "select array_to_string(reloptions, ' ') as options from pg_class where relname = 'passages_3_hnsw_index'",
    );
    expect(index!.options).toEqual(isOnServer ? "m=24 ef_construction=128" : null);
    expect(told[0]).toBe("Building the index of passages_3: 100 vectors.");
    // Only where others wait for it.
    expect(told).toHaveLength(isOnServer ? 1 : 2);
    expect(await optimized("passages_3", options)).toMatchObject({ index: "ready", outcome: "kept" });
    expect(await optimized("passages_3")).toMatchObject({ outcome: "kept" });
  });

  it("reports that very wide vectors cannot have an index", async () => {
    expect(await optimized("passages_2500", { minVectors: 0 })).toMatchObject({
      outcome: "too-wide",
      dimensions: 2500,
    });
  });

  it("replaces an invalid index, or removes it if none is due", async () => {
    await breakIndex();
    expect(await inspected.withoutIndex()).toEqual([
      { table: "passages_3", dimensions: 3, vectors: 100, index: "broken" },
    ]);
    expect(await optimized("passages_3", { minVectors: 1 })).toMatchObject({ index: "broken", outcome: "built" });
    expect(await indexes()).toEqual(built);
    await breakIndex();
    expect(await optimized("passages_3")).toMatchObject({ index: "broken", outcome: "not-due", indexBytes: 0 });
    expect(await indexes()).toEqual([]);
  });

  it("stops after an abort, and throws the reason", async () => {
    const reason = new Error("enough");
    const aborted = new AbortController();
    const log = (): void => aborted.abort(reason);
    await expect(test.store.optimize({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    await expect(test.store.optimize({ minVectors: 1, log, signal: aborted.signal })).rejects.toBe(reason);
    expect(await indexes()).toEqual([]);
  });
});

describe("tables that need an index", () => {
  it("are those above the size up to which an exact search is faster", async () => {
    expect(await inspected.withoutIndex()).toEqual([]);
    await addVectors(minIndexedVectors - 100);
    expect(await inspected.withoutIndex()).toEqual([
      { table: "passages_3", dimensions: 3, vectors: minIndexedVectors, index: "none" },
    ]);
  });
});

const onServer = onEngine("server", "the embedded engine has one role and one backend");

onServer("optimizing beside others", () => {
  it("is refused for a role that does not own the tables, with advice", async () => {
    const role = `palimpsest_guest_${randomBytes(4).toString("hex")}`;
    await test.ownerRows(`create role ${role} login password 'secret'`);
    await test.ownerRows(`grant palimpsest_runtime to ${role}`);
    const url = new URL(serverUrl);
    [url.username, url.password] = [role, "secret"];
    const connection = { kind: "server", url: url.href } as const;
    const guest = await createStoreInspector({ connection }).open();
    expect(await guest.withoutIndex()).toBeNull();
    await guest.close();
    await expect(optimizeDatabase({ connection })).rejects.toThrow(
      `The role ${role} does not own the tables. Set \`migrationUrl\` to the URL of their owner.`,
    );
    expect(await optimizeDatabase({ connection, migrationUrl: serverUrl }, { minVectors: 10 ** 9 })).toMatchObject({
      tables: expect.any(Array),
    });
    await test.ownerRows(`drop role ${role}`);
  });

  it("leaves no index after an aborted build", async () => {
    const reason = new Error("enough");
    const aborted = new AbortController();
    await addVectors(50_000);
    const ended = test.store.optimize({ signal: aborted.signal }).catch((error: unknown) => error);
    for (let begun: readonly unknown[] = []; begun.length === 0; ) {
      begun = await test.ownerRows("select 1 from pg_stat_progress_create_index where phase like 'building index%'");
    }
    aborted.abort(reason);
    expect(await ended).toBe(reason);
    expect(await indexes()).toEqual([]);
  });

  it("is refused while another process optimizes", async () => {
    const other = postgres(serverUrl, { max: 1, onnotice: () => undefined });
    await other`select pg_advisory_lock(8097872805052314470)`;
    await expect(test.store.optimize()).rejects.toThrow("Another process is optimizing this database.");
    await other.end();
    await expect(test.store.optimize({ minVectors: 10 ** 9 })).resolves.toMatchObject({ analyzed: expect.any(Array) });
  });
});
