// The floor of a search: the bare query for the nearest vectors, and the bare query for the best words.
// Invariant: each query runs like the store's, over the same connection, in two round trips: begin with the settings, query,
// commit. This is checked before the measurement, because a floor with other settings would not be comparable.
import type { Database } from "../src/store/connection/database.ts";
import type { Transaction } from "../src/store/connection/transaction.ts";
import { corpusEmbedder } from "./search-corpus.ts";
import type { Archive } from "./search-seed.ts";

export interface BareQueries {
  /** Runs as the runtime's role with its user set, under the policies. */
  nearest(vector: string): Promise<readonly string[]>;
  /** Runs as the owner: under a policy no text index is used, so the store also uses a function of the owner. */
  best(text: string): Promise<readonly string[]>;
  /** Returns the 10 nearest by an exact search. */
  exact(vector: string): Promise<readonly string[]>;
  explain(vector: string, text: string): Promise<readonly string[]>;
}

export interface BareOptions {
  /** The questions that `best` will receive. */
  readonly questions: readonly string[];
  /** Whether there is an index over the vectors. */
  readonly isIndexed: boolean;
}

// The number of candidates that the store's search takes from each query.
const [nearestCount, bestCount] = [50, 100] as const;

/** Throws if a query would run without its settings. */
export async function createBareQueries(
  database: Database,
  { userId, agentId, width }: Archive,
  { questions, isIndexed }: BareOptions,
): Promise<BareQueries> {
  const vectors = (limit: number): string =>
    `select passage_id as id from passages_${width}
     where user_id = $1 and archive_id = any (array[$2::uuid]) and embedder = $3
     order by embedding <=> $4::vector limit ${limit}`;
  const words = `select id from passages
    where user_id = $1 and archive_id = any (array[$2::uuid]) and words @@ $3::tsquery
    order by ts_rank('{0.5, 0.3, 0.5, 1}', words, $3::tsquery) desc, id limit ${bestCount}`;
  /** Sent in one packet with its query; if it fails, the query fails too. */
  const set = (tx: Transaction, setting: string): void => void tx.run(setting, []).catch(() => undefined);
  const asUser = (query: string, parameters: readonly string[]) =>
    database.transaction(userId, async (tx) => {
      // The settings of the store's function; an index needs them, an exact search does not.
      if (isIndexed) set(tx, indexSettings(width));
      return idsOf(await tx.run(query, parameters));
    });
  const asOwner = (query: string, parameters: readonly string[], setting?: string) =>
    database.ownerTransaction(async (tx) => {
      if (setting !== undefined) set(tx, setting);
      return idsOf(await tx.run(query, parameters));
    });
  // Matches any of the words, like the store's query; built in advance, so that this is not part of the floor.
  const anyWord = new Map<string, string>();
  for (const text of questions) {
    const [asked] = await asOwner("select replace(plainto_tsquery('english', $1)::text, ' & ', ' | ') as id", [text]);
    anyWord.set(text, asked!);
  }
  const view = isIndexed ? "current_setting('hnsw.ef_search')::int >= 100" : "true";
  await requireThat(asUser(`select (current_user = 'palimpsest_runtime' and ${view})::text as id`, []));
  const exactly = "set local enable_indexscan = off";
  await requireThat(asOwner("select (current_setting('enable_indexscan') = 'off')::text as id", [], exactly));
  return {
    nearest: (vector) => asUser(vectors(nearestCount), [userId, agentId, corpusEmbedder, vector]),
    best: (text) => asOwner(words, [userId, agentId, anyWord.get(text)!]),
    exact: (vector) => asOwner(vectors(10), [userId, agentId, corpusEmbedder, vector], exactly),
    async explain(vector, text) {
      const plans = await database.ownerTransaction(async (tx) => [
        ...(await tx.run<Plan>(`explain ${vectors(nearestCount)}`, [userId, agentId, corpusEmbedder, vector])),
        ...(await tx.run<Plan>(`explain ${words}`, [userId, agentId, anyWord.get(text)!])),
      ]);
      return plans.flatMap((row) => /(?:Index(?: Only)?|Seq|Bitmap Index) Scan.*/u.exec(row["QUERY PLAN"])?.[0] ?? []);
    },
  };
}

function indexSettings(width: number): string {
  return `select set_config('hnsw.iterative_scan', 'strict_order', true), set_config('random_page_cost', '1.1', true),
    set_config('hnsw.ef_search', (
      select case when reltuples > 50000 then '400' when reltuples > 20000 then '200' else '100' end
      from pg_class where relname = 'passages_${width}'
    ), true)`;
}

function idsOf(rows: readonly unknown[]): readonly string[] {
  return rows.map((row) => (row as { readonly id: string }).id);
}

async function requireThat(asked: Promise<readonly string[]>): Promise<void> {
  const [isSo] = await asked;
  if (isSo !== "true") throw new Error("A bare query would be asked without its settings.");
}

interface Plan {
  readonly "QUERY PLAN": string;
}
