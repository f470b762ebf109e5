// Measures one size of archive: the time of a search and of its bare queries, its recall compared with an exact search, and
// the indexes that it uses.
import type postgres from "postgres";
import type { PassageQuery } from "../src/store/port/passage-store.ts";
import type { Database } from "../src/store/connection/database.ts";
import { createUserStore } from "../src/store/open-store.ts";
import { vectorText } from "../src/store/vectors/vector-text.ts";
import { alternate, inTurn, quantile, type Row, rowOf } from "./measure.ts";
import { type Corpus, corpusEmbedder, type Embedded } from "./search-corpus.ts";
import { type BareQueries, createBareQueries } from "./search-floor.ts";
import type { Archive } from "./search-seed.ts";

export interface SearchScene {
  readonly database: Database;
  readonly sql: postgres.Sql;
  readonly archive: Archive;
  /** A user with a hundredth as many passages as the archive, in the same tables. */
  readonly tenant: Archive;
  readonly corpus: Corpus;
  readonly size: number;
}

export interface MeasuredSearch {
  readonly rows: readonly Row[];
  readonly facts: Readonly<Record<string, unknown>>;
}

const pageSize = 10;

export async function measureSearch(scene: SearchScene, isIndexed: boolean): Promise<MeasuredSearch> {
  const { archive, size } = scene;
  const questions = scene.corpus.questions.map((asked) => cut(asked, archive.width));
  const bare = await createBareQueries(scene.database, archive, {
    questions: questions.map(({ text }) => text),
    isIndexed,
  });
  const [next, nextNearest, nextBest] = [
    inTurn(questions),
    inTurn(questions, { isHalfOn: true }),
    inTurn(questions, { isHalfOn: true }),
  ];
  const [hybrid = [], nearest = [], best = []] = await alternate(
    [
      () => search(scene, archive, next()),
      () => bare.nearest(vectorText(nextNearest().vector, archive.width)),
      () => bare.best(nextBest().text),
    ],
    { rounds: roundsFor(size), warmups: questions.length },
  );
  const at95 = quantile(hybrid, 0.95) / (quantile(nearest, 0.95) + quantile(best, 0.95));
  const ratio = quantile(hybrid, 0.5) / (quantile(nearest, 0.5) + quantile(best, 0.5));
  const name = `${size.toLocaleString("en")} x ${archive.width}${isIndexed ? ", indexed" : ""}`;
  const recall = await recallOf(scene, bare, questions);
  const pages = await pagesOf(scene, questions);
  const used = await indexesUsed(scene, questions);
  const note = `p95 over theirs ${at95.toFixed(2)}, recall@10 ${recall.toFixed(3)}, least page of a 1 % tenant ${pages.tenant}, of a 1 % tag ${pages.tag}`;
  const times = [hybrid, nearest, best].map((each) =>
    [0.5, 0.95].map((share) => quantile(each, share).toFixed(1)).join("/"),
  );
  process.stdout.write(`${name}: ${times.join(", ")} ms; ${note}; used: ${used.join(", ")}\n`);
  return {
    rows: [
      rowOf(`${name}: search`, hybrid, { ratio, note }),
      rowOf(`${name}: bare nearest 50`, nearest),
      rowOf(`${name}: bare best 100 by words`, best),
    ],
    facts: { isIndexed, ratio, ratioAt95: at95, recall, pages, used, plans: await plansOf(bare, questions) },
  };
}

/** Enough rounds for a reliable 95th percentile. */
function roundsFor(size: number): number {
  if (size <= 10_000) return 600;
  return size <= 100_000 ? 200 : 60;
}

function search(
  { database }: SearchScene,
  { userId, agentId }: Archive,
  asked: Embedded,
  more: Partial<PassageQuery> = {},
) {
  // With the similarity floor of the runtime.
  const meaning = meaningOf(asked, 0.35);
  return createUserStore(database, userId).passages.search({
    agentId,
    text: asked.text,
    meaning,
    page: 0,
    pageSize,
    now: new Date(),
    ...more,
  });
}

function meaningOf({ vector }: Embedded, floor: number): PassageQuery["meaning"] {
  return { vector, embedder: corpusEmbedder, dimensions: vector.length, floor };
}

/** Returns the recall@10 of a search by meaning alone, averaged over the questions. */
async function recallOf(scene: SearchScene, bare: BareQueries, questions: readonly Embedded[]): Promise<number> {
  let found = 0;
  for (const asked of questions) {
    const exact = new Set(await bare.exact(vectorText(asked.vector, scene.archive.width)));
    const { rows } = await search(
      scene,
      scene.archive,
      { ...asked, text: "" },
      {
        meaning: meaningOf(asked, -1),
      },
    );
    found += rows.filter(({ id }) => exact.has(id)).length / exact.size;
  }
  return found / questions.length;
}

/** Returns the minimum hits on a page of 10: for a user with a hundredth of the table, and for a tag on a hundredth of it. */
async function pagesOf(scene: SearchScene, questions: readonly Embedded[]) {
  const tenant: number[] = [];
  const tag: number[] = [];
  for (const asked of questions.slice(0, 20)) {
    tenant.push((await search(scene, scene.tenant, asked)).rows.length);
    tag.push((await search(scene, scene.archive, asked, { tags: ["rare"] })).rows.length);
  }
  return { tenant: Math.min(...tenant), tag: Math.min(...tag) };
}

/** Returns the indexes that a search has used, by the server's scan counters: EXPLAIN does not show plans in a function. */
async function indexesUsed(scene: SearchScene, questions: readonly Embedded[]): Promise<readonly string[]> {
  const before = await scans(scene);
  for (let round = 0; round < 3; round += 1) {
    await search(scene, scene.archive, questions[round]!);
    // A connection reports its counters at most once a second.
    await new Promise((resolve) => setTimeout(resolve, 1100));
  }
  await search(scene, scene.archive, questions[3]!);
  const after = await scans(scene);
  return [...after].filter(([name, count]) => count > (before.get(name) ?? 0)).map(([name]) => name);
}

async function scans({ sql, archive }: SearchScene): Promise<ReadonlyMap<string, number>> {
  const rows = await sql.unsafe<{ readonly name: string; readonly scans: number }[]>(
    `select indexrelname as name, idx_scan::float8 as scans from pg_stat_user_indexes
     where relname in ('passages', 'passages_${archive.width}')`,
  );
  return new Map(rows.map(({ name, scans: count }) => [name, count]));
}

async function plansOf(bare: BareQueries, questions: readonly Embedded[]): Promise<readonly string[]> {
  const [asked] = questions;
  return bare.explain(vectorText(asked!.vector, asked!.vector.length), asked!.text);
}

/** Returns the first numbers of a vector, normalized to length 1. */
function cut({ text, vector }: Embedded, width: number): Embedded {
  const kept = vector.slice(0, width);
  const length = Math.hypot(...kept);
  return { text, vector: kept.map((number) => number / length) };
}
