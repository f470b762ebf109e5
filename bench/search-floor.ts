// What a search costs at the least: the bare query for the nearest vectors, and the bare query for the best words.
// Invariant: each goes the way of the store's: begun with the settings, asked, committed, in two round trips.
import type postgres from "postgres";
import type { Archive } from "./search-seed.ts";
import { corpusEmbedder } from "./search-corpus.ts";

export interface BareQueries {
  /** As the runtime's role with its user set, under the policies. */
  nearest(vector: string): Promise<readonly string[]>;
  /** As the owner: under a policy no index of words is used, which is why the store asks through a function. */
  best(text: string): Promise<readonly string[]>;
  /** The 10 nearest by comparing every vector. */
  exact(vector: string): Promise<readonly string[]>;
  explain(vector: string, text: string): Promise<readonly string[]>;
}

// As many candidates as the store's search takes from each side.
const [nearestCount, bestCount] = [50, 100] as const;

export function createBareQueries(sql: postgres.Sql, { userId, agentId, width }: Archive): BareQueries {
  // As the store's function sets them.
  const indexSettings = `, set_config('hnsw.iterative_scan', 'strict_order', true), set_config('random_page_cost', '1.1', true),
    set_config('hnsw.ef_search', case when (select reltuples from pg_class where relname = 'passages_${width}') > 50000 then '400' else '200' end, true)`;
  const asUser = `select set_config('role', 'palimpsest_runtime', true), set_config('palimpsest.user_id', '${userId}', true)`;
  const vectors = (limit: number): string =>
    `select passage_id as id from passages_${width}
     where user_id = $1 and archive_id = any (array[$2::uuid]) and embedder = $3
     order by embedding <=> $4::vector limit ${limit}`;
  const words = `select id from passages
    where user_id = $1 and archive_id = any (array[$2::uuid]) and words @@ $3::tsquery
    order by ts_rank('{0.5, 0.3, 0.5, 1}', words, $3::tsquery) desc, id limit ${bestCount}`;
  const ask = async (setting: string, query: string, parameters: readonly string[]): Promise<readonly string[]> => {
    const connection = await sql.reserve();
    try {
      const begun = connection.unsafe(`begin; ${setting}`);
      const rows = await connection.unsafe<{ readonly id: string }[]>(query, [...parameters], { prepare: true });
      await Promise.all([begun, connection.unsafe("commit")]);
      return rows.map(({ id }) => id);
    } finally {
      connection.release();
    }
  };
  // Any of the words, as the store asks for them; made beforehand, so that it is no part of the floor.
  const anyWord = async (text: string): Promise<string> => {
    const [row] = await sql.unsafe<{ readonly asked: string }[]>(
      "select replace(plainto_tsquery('english', $1)::text, ' & ', ' | ') as asked",
      [text],
    );
    return row!.asked;
  };
  const asked = new Map<string, string>();
  return {
    nearest: (vector) => ask(asUser + indexSettings, vectors(nearestCount), [userId, agentId, corpusEmbedder, vector]),
    async best(text) {
      const query = asked.get(text) ?? (await anyWord(text));
      asked.set(text, query);
      return ask("select 1", words, [userId, agentId, query]);
    },
    exact: (vector) => ask("set local enable_indexscan = off", vectors(10), [userId, agentId, corpusEmbedder, vector]),
    async explain(vector, text) {
      const query = await anyWord(text);
      const plans = await Promise.all([
        sql.unsafe<Plan[]>(`explain ${vectors(nearestCount)}`, [userId, agentId, corpusEmbedder, vector]),
        sql.unsafe<Plan[]>(`explain ${words}`, [userId, agentId, query]),
      ]);
      return plans
        .flat()
        .flatMap((row) => /(?:Index(?: Only)?|Seq|Bitmap Index) Scan.*/u.exec(row["QUERY PLAN"])?.[0] ?? []);
    },
  };
}

interface Plan {
  readonly "QUERY PLAN": string;
}
