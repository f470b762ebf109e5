// Stores the files of sources with their passages.
import { and, asc, eq, inArray } from "drizzle-orm";
import type { UserContext } from "../connection/database.ts";
import type { Transaction } from "../connection/transaction.ts";
import type { SourceFileKind, SourceFileStore } from "../port/source-store.ts";
import { sourceFiles } from "../schema.ts";
import { putFile, replacePassages } from "./source-files.ts";
import { requireSource } from "./source-store.ts";

export function createSourceFileStore({ userId, transaction }: UserContext): SourceFileStore {
  const ofSource = (sourceId: string) => and(eq(sourceFiles.userId, userId), eq(sourceFiles.sourceId, sourceId));
  const inSource = <Result>(sourceId: string, work: (tx: Transaction) => Promise<Result>): Promise<Result> =>
    transaction(async (tx) => {
      await requireSource(tx, userId, sourceId);
      return work(tx);
    });
  return {
    list: (sourceId) =>
      inSource(sourceId, async (tx) => {
        const files = tx.tables.select().from(sourceFiles).where(ofSource(sourceId));
        const rows = await files.orderBy(asc(sourceFiles.path));
        return rows.map(({ userId: _user, sourceId: _source, kind, size, contentHash, ...row }) => ({
          ...row,
          kind: kind as SourceFileKind,
          bytes: size,
          sha256: Buffer.from(contentHash).toString("hex"),
        }));
      }),
    replace: (sourceId, file) =>
      inSource(sourceId, async (tx) => {
        const fileId = await putFile(tx, userId, { sourceId, file: { ...file, reason: null } });
        if (fileId === null) return null;
        return replacePassages(tx, userId, { ...file, sourceId, fileId });
      }),
    fail: (sourceId, file) => inSource(sourceId, async (tx) => void (await putFile(tx, userId, { sourceId, file }))),
    remove: (sourceId, paths) =>
      inSource(sourceId, async (tx) => {
        if (paths.length === 0) return 0;
        const listed = and(ofSource(sourceId), inArray(sourceFiles.path, [...paths]));
        return (await tx.tables.delete(sourceFiles).where(listed).returning({ id: sourceFiles.id })).length;
      }),
  };
}
