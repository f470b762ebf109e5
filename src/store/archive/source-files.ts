// Writes the files of sources with their passages.
// Invariant: a failed load keeps the passages of an earlier load, and a new load keeps equal passages with their
// vectors. The hash of a passage covers the text, its file and its location, so the same text in two files is two
// passages with a citation each.
import { inBatches } from "../../base/lists.ts";
import { createHash } from "node:crypto";
import { storableJson, storableText } from "../../base/code-points.ts";
import { foldText } from "../../base/fold-text.ts";
import type { Transaction } from "../connection/transaction.ts";
import type { FailedFile, SourcePassage } from "../port/source-store.ts";
import { indexedTerms } from "../search/lexical-terms.ts";

/** Maximum passages per statement, so that they make up only a few hundred kilobytes. */
const batchSize = 200;

interface FileToPut {
  readonly sourceId: string;
  readonly file: Omit<FailedFile, "reason" | "loadedAt"> & {
    /** Why the file could not be read; null for a file that was read. */
    readonly reason: string | null;
    readonly loadedAt: Date | string;
    /** Whether an existing file with the same path must not be replaced. */
    readonly isNew?: boolean;
  };
}

/**
 * Records a file as loaded or failed, and returns its id; null if `isNew` and the source has a file with this path. The file's
 * row stays locked until the transaction ends, so concurrent loads of a file run one after the other.
 */
export async function putFile(tx: Transaction, userId: string, { sourceId, file }: FileToPut): Promise<string | null> {
  const { id, path, kind, bytes, sha256, reason, loadedAt, isNew = false } = file;
  const status = reason === null ? "loaded" : "failed";
  const facts = [path, kind, bytes, sha256, status, reason, loadedAt];
  const [row] = await tx.run<{ readonly id: string }>(putSourceFile, [userId, id, sourceId, ...facts, isNew]);
  return row?.id ?? null;
}

interface PassagesOfFile {
  readonly sourceId: string;
  readonly fileId: string;
  readonly loadedAt: Date | string;
  readonly passages: readonly SourcePassage[];
}

/** Replaces the passages of a file. Returns their number. */
export async function replacePassages(tx: Transaction, userId: string, file: PassagesOfFile): Promise<number> {
  const rows = file.passages.map((passage) => passageRow(passage, file.fileId));
  await tx.run(dropOtherPassages, [userId, file.fileId, rows.map((row) => row.content_hash)]);
  return insertRows(tx, userId, { ...file, rows });
}

/** Adds passages to a file. Returns the total number of the file's passages. */
export async function addPassagesOf(tx: Transaction, userId: string, file: PassagesOfFile): Promise<number> {
  return insertRows(tx, userId, { ...file, rows: file.passages.map((passage) => passageRow(passage, file.fileId)) });
}

async function insertRows(
  tx: Transaction,
  userId: string,
  { sourceId, fileId, loadedAt, rows }: PassagesOfFile & { readonly rows: readonly ReturnType<typeof passageRow>[] },
): Promise<number> {
  for (const batch of inBatches(rows, batchSize))
    await tx.run(addSourcePassages, [userId, sourceId, fileId, batch, loadedAt]);
  const [counted] = await tx.run<{ readonly passages: number }>(countSourcePassages, [userId, fileId]);
  return counted!.passages;
}

/** Returns a passage in the form that `addSourcePassages` takes. */
function passageRow({ id, text, place }: SourcePassage, fileId: string) {
  const content = storableText(text);
  const folded = foldText(content);
  const hash = createHash("sha256").update(storableJson([fileId, place, content]));
  const search = { search_text: folded, terms: indexedTerms(folded) };
  return { id, place, content, ...search, content_hash: hash.digest("hex") };
}

/**
 * $1 user, $2 id for a new file, $3 source, $4 path, $5 kind, $6 size, $7 hash, $8 status, $9 reason, $10 time of the
 * load, $11 whether the file must be new. Returns one row with the file's id; none if it must be new but its path is taken.
 */
const putSourceFile = `
insert into source_files as f (user_id, id, source_id, path, kind, size, content_hash, status, reason, passages, loaded_at)
values ($1, $2::uuid, $3::uuid, $4, $5, $6::float8::bigint, decode($7, 'hex'), $8, $9, 0, $10::timestamptz)
on conflict (user_id, source_id, path) do update set kind = excluded.kind, size = excluded.size,
  content_hash = excluded.content_hash, status = excluded.status, reason = excluded.reason, loaded_at = excluded.loaded_at
  where not $11::boolean
returning f.id`;

/** $1 user, $2 file, $3 the hashes of the passages to keep. */
const dropOtherPassages = `
delete from passages where user_id = $1 and file_id = $2::uuid
  and encode(content_hash, 'hex') not in (select jsonb_array_elements_text($3::text::jsonb))`;

/** $1 user, $2 source, $3 file, $4 passages, $5 time of the load. */
const addSourcePassages = `
insert into passages (user_id, id, source_id, file_id, place, kind, tags, origin, trust, content, search_text, terms, content_hash,
  created_at)
select $1, p.id, $2::uuid, $3::uuid, p.place, 'document', '{}', 'import', 'external', p.content, p.search_text,
  p.terms::tsvector, decode(p.content_hash, 'hex'), $5::timestamptz
from jsonb_to_recordset($4::text::jsonb)
  as p (id uuid, place jsonb, content text, search_text text, terms text, content_hash text)
on conflict (user_id, archive_id, content_hash) do nothing`;

/** $1 user, $2 file. Returns one row with the file's current number of passages. */
const countSourcePassages = `
update source_files set passages = (select count(*) from passages where user_id = $1 and file_id = $2::uuid)
where user_id = $1 and id = $2::uuid returning passages`;
