// Measures how many passages with vectors the store inserts per second, and the same rows with bare inserts.
import { createHash, randomUUID } from "node:crypto";
import type postgres from "postgres";
import type { Store } from "../src/store/port/store.ts";
import { vectorText } from "../src/store/vectors/vector-text.ts";
import { alternate, quantile, type Row, rowOf } from "./measure.ts";
import { type Corpus, corpusEmbedder } from "./search-corpus.ts";
import type { Archive } from "./search-seed.ts";

interface InsertScene {
  readonly store: Store;
  readonly sql: postgres.Sql;
  readonly corpus: Corpus;
  /** Labels for the table: the width of the vectors, and whether they have an index. */
  readonly name: string;
}

const perBatch = 100;

/** Inserts new batches of 100 alternately: passages in one transaction and their vectors in a second one. */
export async function benchInserts(
  archive: Archive,
  { store, sql, corpus, name }: InsertScene,
): Promise<readonly Row[]> {
  const { userId, agentId, width } = archive;
  const { passages } = store.as(userId);
  let made = 0;
  const batch = () =>
    Array.from({ length: perBatch }, () => {
      const { text, vector } = corpus.lines[made % corpus.lines.length]!;
      made += 1;
      return { id: randomUUID(), text: `${text} (${made})`, vector: vector.slice(0, width) };
    });
  const throughStore = async (): Promise<void> => {
    const rows = batch();
    const added = rows.map(({ id, text }) => ({ id, text, tags: [], kind: "memory" as const, at: new Date() }));
    await passages.add(agentId, added, "api");
    const vectors = rows.map(({ id, vector }) => ({ passageId: id, vector }));
    await passages.addVectors(agentId, { embedder: corpusEmbedder, dimensions: width, rows: vectors });
  };
  const bare = async (): Promise<void> => {
    const rows = batch().map((row) => ({ ...row, vector: vectorText(row.vector, width), hash: hashOf(row.text) }));
    const json = JSON.stringify(rows);
    await sql.unsafe(bareInsert, [userId, agentId, json]);
    await sql.unsafe(bareVectors(width), [userId, agentId, json]);
  };
  const [stored = [], floor = []] = await alternate([throughStore, bare], { rounds: 60, warmups: 5 });
  const rate = (times: readonly number[]): string => `${Math.round((1000 * perBatch) / quantile(times, 0.5))} a second`;
  return [
    rowOf(`insert ${perBatch} x ${name}: store`, stored, {
      ratio: quantile(stored, 0.5) / quantile(floor, 0.5),
      note: rate(stored),
    }),
    rowOf(`insert ${perBatch} x ${name}: bare`, floor, { note: rate(floor) }),
  ];
}

const bareInsert = `
insert into passages (user_id, id, agent_id, kind, tags, origin, trust, content, search_text, content_hash)
select $1, r.id, $2::uuid, 'memory', '{}', 'api', 'user', r.text, lower(r.text), decode(r.hash, 'hex')
from jsonb_to_recordset($3::text::jsonb) r (id uuid, text text, hash text)`;

function bareVectors(width: number): string {
  return `
insert into passages_${width} (user_id, archive_id, passage_id, embedder, embedding)
select $1, $2::uuid, r.id, '${corpusEmbedder}', r.vector::vector
from jsonb_to_recordset($3::text::jsonb) r (id uuid, vector text)`;
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
