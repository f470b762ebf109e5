// Stores the files of sources with their passages.
import { and, asc, eq, inArray } from "drizzle-orm";
import { storableJson, storableText } from "../../base/code-points.ts";
import type {
  FailedFile,
  LoadedFile,
  SourceFileKind,
  SourceFileRecord,
  SourceFileStore,
} from "../port/source-store.ts";
import { sourceFiles } from "../schema.ts";
import { requireSource } from "./source-access.ts";
import { sourcePassageRow } from "./source-passage-rows.ts";
import { putSourceFile } from "../sql/put-source-file.ts";
import { addSourcePassages, countSourcePassages, dropOtherPassages } from "../sql/replace-source-passages.ts";
import type { Transaction } from "../connection/transaction.ts";
import type { UserContext } from "../connection/database.ts";
import { timeText } from "../stored-times.ts";

/** Passages per statement, which makes a parameter of a few hundred kilobytes. */
const batchSize = 200;

export function createSourceFileStore({ userId, transaction }: UserContext): SourceFileStore {
  const ofSource = (sourceId: string) => and(eq(sourceFiles.userId, userId), eq(sourceFiles.sourceId, sourceId));
  return {
    list: (sourceId) =>
      transaction(async (tx) => {
        await requireSource(tx, userId, sourceId);
        const rows = await tx.tables
          .select()
          .from(sourceFiles)
          .where(ofSource(sourceId))
          .orderBy(asc(sourceFiles.path));
        return rows.map(fileOfRow);
      }),
    replace: (sourceId, file) => transaction((tx) => replace(tx, userId, { sourceId, file })),
    fail: (sourceId, file) =>
      transaction(async (tx) => {
        await requireSource(tx, userId, sourceId);
        await put(tx, userId, { sourceId, file });
      }),
    remove: (sourceId, paths) =>
      transaction(async (tx) => {
        await requireSource(tx, userId, sourceId);
        if (paths.length === 0) return 0;
        const removed = await tx.tables
          .delete(sourceFiles)
          .where(and(ofSource(sourceId), inArray(sourceFiles.path, paths.map(storableText))))
          .returning({ id: sourceFiles.id });
        return removed.length;
      }),
  };
}

async function replace(
  tx: Transaction,
  userId: string,
  { sourceId, file }: { readonly sourceId: string; readonly file: LoadedFile },
): Promise<number> {
  await requireSource(tx, userId, sourceId);
  const fileId = await put(tx, userId, { sourceId, file });
  const rows = file.passages.map((passage) => sourcePassageRow(passage, fileId));
  await tx.run(dropOtherPassages, [userId, fileId, storableJson(rows.map((row) => row.content_hash))]);
  for (let from = 0; from < rows.length; from += batchSize) {
    const batch = storableJson(rows.slice(from, from + batchSize));
    await tx.run(addSourcePassages, [userId, sourceId, fileId, batch, timeText(file.loadedAt)]);
  }
  const [counted] = await tx.run<{ readonly passages: number }>(countSourcePassages, [userId, fileId]);
  return counted!.passages;
}

async function put(
  tx: Transaction,
  userId: string,
  { sourceId, file }: { readonly sourceId: string; readonly file: LoadedFile | FailedFile },
): Promise<string> {
  const reason = "reason" in file ? storableText(file.reason) : null;
  const { id, path, kind, bytes, sha256, loadedAt } = file;
  const status = reason === null ? "loaded" : "failed";
  const facts = [storableText(path), kind, bytes, sha256, status, reason, timeText(loadedAt)] as const;
  const [row] = await tx.run<{ readonly id: string }>(putSourceFile, [userId, id, sourceId, ...facts]);
  return row!.id;
}

function fileOfRow(row: typeof sourceFiles.$inferSelect): SourceFileRecord {
  return {
    id: row.id,
    path: row.path,
    kind: row.kind as SourceFileKind,
    bytes: row.size,
    sha256: Buffer.from(row.contentHash).toString("hex"),
    passages: row.passages,
    status: row.status,
    reason: row.reason,
    loadedAt: row.loadedAt,
  };
}
