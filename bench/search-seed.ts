// Generates hundreds of thousands of passages inside the database, as the owner of the tables.
// Invariant: the content of passage number n depends only on n, so a growing archive keeps its passages.
import type postgres from "postgres";
import { vectorText } from "../src/store/vectors/vector-text.ts";
import { type Corpus, corpusEmbedder } from "./search-corpus.ts";

export interface Archive {
  readonly userId: string;
  readonly agentId: string;
  readonly width: number;
}

const vocabulary = 20_000;
const batch = 5000;

/** Lines with vectors to mix, and words with a natural frequency distribution: the k-th is 1/k as likely as the first. */
export async function prepareSeed(sql: postgres.Sql, corpus: Corpus): Promise<void> {
  await sql.unsafe("create schema bench");
  await sql.unsafe("create table bench.words (rank int primary key, word text not null)");
  await sql.unsafe(
    `insert into bench.words select n, translate(to_hex(n * 2654435761 % 4294967296), '0123456789abcdef', 'bcdfghklmnprstvz') || 'ae'
     from generate_series(1::bigint, ${vocabulary}) n`,
  );
  await sql.unsafe("create table bench.lines (number int primary key, line text not null, vector vector not null)");
  const rows = corpus.lines.map(({ text, vector }, number) => ({
    number,
    line: text,
    vector: vectorText(vector, vector.length),
  }));
  for (let from = 0; from < rows.length; from += 200) {
    await sql.unsafe(
      "insert into bench.lines select r.number, r.line, r.vector::vector from jsonb_to_recordset($1::text::jsonb) r (number int, line text, vector text)",
      [JSON.stringify(rows.slice(from, from + 200))],
    );
  }
  await sql.unsafe("analyze bench.words, bench.lines");
}

// A passage is a line and 4 to 20 further words. Every hundredth has the tag `rare`.
const passagesSql = `
with numbered as (
  select n, (hashint8extended(n, 1) & 1073741823) % (select count(*) from bench.lines) as line,
    4 + (hashint8extended(n, 2) & 1073741823) % 17 as words
  from generate_series($3::bigint, $4::bigint) n
), written as (
  select n, l.line || ' ' || (
      select string_agg(w.word, ' ' order by k)
      from generate_series(1, numbered.words) k
      join bench.words w
        on w.rank = floor(exp((hashint8extended(n * 64 + k, 3) & 1048575) / 1048576.0::float8 * ln(${vocabulary}::float8)))::int
    ) as content
  from numbered join bench.lines l on l.number = numbered.line
)
insert into passages (user_id, id, agent_id, kind, tags, origin, trust, content, search_text, content_hash)
select $1, md5($2 || ' ' || n)::uuid, $2::uuid, 'memory', case when n % 100 = 0 then array['rare'] else '{}' end, 'api', 'user',
  content, lower(content), sha256(convert_to(n || content, 'UTF8'))
from written`;

// Its vector is that of its line, moved towards two others by different amounts, like a text about several topics.
function vectorsSql(width: number): string {
  return `
insert into passages_${width} (user_id, archive_id, passage_id, embedder, embedding)
select $1, $2::uuid, md5($2 || ' ' || n)::uuid, '${corpusEmbedder}', l2_normalize(subvector(
  case n % 3 when 0 then a.vector + a.vector + b.vector when 1 then a.vector + b.vector + c.vector
    else a.vector + a.vector + a.vector + b.vector + c.vector end, 1, ${width}))
from generate_series($3::bigint, $4::bigint) n
cross join (select count(*) as lines from bench.lines) t
join bench.lines a on a.number = (hashint8extended(n, 1) & 1073741823) % t.lines
join bench.lines b on b.number = (hashint8extended(n, 5) & 1073741823) % t.lines
join bench.lines c on c.number = (hashint8extended(n, 6) & 1073741823) % t.lines`;
}

/** Inserts the passages number `from` to `to`, both included. */
export async function seedPassages(
  sql: postgres.Sql,
  { userId, agentId, width }: Archive,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  for (let first = from; first <= to; first += batch) {
    const numbers = [userId, agentId, first, Math.min(to, first + batch - 1)];
    await sql.unsafe(passagesSql, numbers);
    await sql.unsafe(vectorsSql(width), numbers);
  }
}
