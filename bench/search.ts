// Measures searches of archival memory by words and by meaning, in archives of 1,000 passages and more, and their bare
// queries. It uses a separate database: on the server of BENCH_DATABASE_URL (created and dropped there), or else embedded.
// Invariant: searches go through the store, as the runtime's role under its policies.
import { loadavg } from "node:os";
import { composeRuntime } from "../src/runtime/compose/compose.ts";
import { createInstantModel } from "./instant-model.ts";
import type { Row, SuiteResult } from "./measure.ts";
import { benchInserts } from "./search-inserts.ts";
import { type Corpus, makeCorpus } from "./search-corpus.ts";
import { openPlace, type Place } from "./search-place.ts";
import { type Archive, prepareSeed, seedPassages } from "./search-seed.ts";
import { measureSearch, type SearchScene } from "./search-size.ts";

const sizes = [1000, 10_000, 100_000, 1_000_000] as const;
const narrowWidth = 384;
const defaultMost = { embedded: 100_000, server: 1_000_000 } as const;

export interface SearchOptions {
  /** Passages of the largest archive. Default: 100,000 on the embedded engine, 1,000,000 on a server. */
  readonly max?: number;
}

export async function benchSearch({ max }: SearchOptions): Promise<SuiteResult> {
  const corpus = await makeCorpus({ lines: 1500, questions: 60 });
  const place = await openPlace(process.env["BENCH_DATABASE_URL"]);
  try {
    await prepareSeed(place.sql, corpus);
    const largest = max ?? (place.isEmbedded ? defaultMost.embedded : defaultMost.server);
    // Before there is a vector index, and again with one.
    const bare = await openArchive(place, "inserts", narrowWidth);
    const inserts = await benchInserts(bare, { ...place, corpus, name: `${narrowWidth}` });
    await place.sql.unsafe("delete from passages where user_id = $1", [bare.userId]);
    const narrow = await benchWidth(place, corpus, { width: narrowWidth, sizes: [10_000], minVectors: 10_000 });
    const wide = await benchWidth(place, corpus, { width: 512, sizes: sizes.filter((size) => size <= largest) });
    const indexed = await benchInserts(bare, { ...place, corpus, name: `${narrowWidth}, indexed` });
    return {
      rows: [...narrow.rows, ...wide.rows, ...inserts, ...indexed],
      more: { searches: [...narrow.facts, ...wide.facts] },
    };
  } finally {
    await place.close();
  }
}

interface Growth {
  readonly width: number;
  readonly sizes: readonly number[];
  /** Minimum number of vectors for a second measurement with an index. Default: that of `palimpsest optimize`. */
  readonly minVectors?: number;
}

async function benchWidth(place: Place, corpus: Corpus, { width, sizes: growing, minVectors }: Growth) {
  const archive = await openArchive(place, `bench-${width}`, width);
  const tenant = await openArchive(place, `tenant-${width}`, width);
  const rows: Row[] = [];
  const facts: Readonly<Record<string, unknown>>[] = [];
  let held = 0;
  for (const size of growing) {
    const seeding = performance.now();
    // Extending an index row by row from 100,000 vectors to a million takes an hour, and gives a different graph.
    await place.sql.unsafe(`drop index if exists passages_${width}_hnsw_index`);
    // A hundredth of the table belongs to another user.
    await seedPassages(place.sql, archive, { from: held + 1, to: size });
    await seedPassages(place.sql, tenant, { from: Math.floor(held / 100) + 1, to: size / 100 });
    held = size;
    const optimized = await place.store.optimize({ minVectors: size > 20_000 ? 20_001 : 10 ** 9 });
    report(`${size} x ${width}: seeded and optimized in ${((performance.now() - seeding) / 1000).toFixed(0)} s`);
    const scene: SearchScene = { ...place, archive, tenant, corpus, size };
    const measure = async ({ tables }: typeof optimized): Promise<void> => {
      const index = tables.find(({ table }) => table === `passages_${width}`);
      const isIndexed = index?.outcome === "built" || index?.outcome === "kept";
      const measured = await measureSearch(scene, isIndexed);
      rows.push(...measured.rows);
      facts.push({ size, width, ...measured.facts, buildSeconds: index?.buildSeconds, load: loadavg()[0] });
    };
    await measure(optimized);
    if (minVectors !== undefined) await measure(await place.store.optimize({ minVectors }));
  }
  return { rows, facts };
}

function report(line: string): void {
  process.stdout.write(`${line}; load ${loadavg()[0]?.toFixed(1)}\n`);
}

async function openArchive({ store }: Place, userId: string, width: number): Promise<Archive> {
  const model = createInstantModel("text");
  const runtime = await composeRuntime({ userId, model: model.name, models: [model], embedder: null }, { store });
  const { id } = await runtime.agents.create({ name: userId });
  await runtime.close();
  // The first vector of a width creates its table.
  await store.as(userId).passages.addVectors(id, { embedder: "none", dimensions: width, rows: [] });
  return { userId, agentId: id, width };
}
