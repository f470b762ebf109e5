// Reads the files of the sources that are attached to an agent, and keeps which of them are open.
// Invariant: open files are changed under a lock of the agent's attached sources.
import { storableJson, storableText } from "../../base/code-points.ts";
import { ToolError } from "../../errors.ts";
import type {
  AttachedFile,
  AttachedFileStore,
  FilePassage,
  LineQuery,
  MatchingLine,
  OpenFile,
} from "../../memory/attached-file-store.ts";
import type { UserContext } from "../connection/database.ts";
import { sqlStateOf } from "../connection/database-error.ts";
import type { Transaction } from "../connection/transaction.ts";
import { listAttachedFiles, lockOpenFiles, matchLines, passagesOfFiles, setOpenFiles } from "../sql/attached-files.ts";
import { isUuid } from "../uuid.ts";

/** SQLSTATE of an invalid regular expression. */
const invalidPattern = "2201B";

export function createAttachedFileStore({ userId, transaction, repeatable }: UserContext): AttachedFileStore {
  return {
    list: (agentId) =>
      repeatable(async (tx) => {
        if (!isUuid(agentId)) return [];
        return (await tx.run<FileRow>(listAttachedFiles, [userId, agentId])).map(fileOfRow);
      }),
    passages: (agentId, ranges) =>
      repeatable(async (tx) => {
        const files = ranges.filter(({ id }) => isUuid(id));
        if (!isUuid(agentId) || files.length === 0) return [];
        return tx.run<FilePassage>(passagesOfFiles, [userId, agentId, storableJson(files)]);
      }),
    changeOpen: (agentId, change) =>
      transaction(async (tx) => (isUuid(agentId) ? changeOpen(tx, { userId, agentId }, change) : [])),
    matchLines: (agentId, query) =>
      repeatable((tx) => match(tx, { userId, agentId }, query)).catch(patternRefused(query.pattern)),
  };
}

interface Whose {
  readonly userId: string;
  readonly agentId: string;
}

type StoredOpenFile = Omit<OpenFile, "at"> & { readonly at: string };

interface FileRow extends Omit<AttachedFile, "open"> {
  readonly openFiles: string;
}

function fileOfRow({ openFiles, ...file }: FileRow): AttachedFile {
  const open = openOf(openFiles).find(({ fileId }) => fileId === file.id);
  return { ...file, open: open === undefined ? null : { from: open.from, to: open.to, at: open.at } };
}

function openOf(stored: string): readonly OpenFile[] {
  return (JSON.parse(stored) as readonly StoredOpenFile[]).map((file) => ({ ...file, at: new Date(file.at) }));
}

interface SourceRow {
  readonly sourceId: string;
  readonly openFiles: string;
  readonly files: readonly string[];
}

async function changeOpen(
  tx: Transaction,
  { userId, agentId }: Whose,
  change: (open: readonly OpenFile[]) => readonly OpenFile[],
): Promise<readonly OpenFile[]> {
  const rows = await tx.run<SourceRow>(lockOpenFiles, [userId, agentId]);
  const known = new Set(rows.flatMap(({ files }) => files));
  const isKnown = ({ fileId }: OpenFile): boolean => known.has(fileId);
  const before = rows
    .flatMap(({ openFiles }) => openOf(openFiles))
    .filter(isKnown)
    .toSorted((one, other) => one.at.getTime() - other.at.getTime());
  const after = change(before).filter(isKnown);
  for (const { sourceId, openFiles, files } of rows) {
    const stored = storableJson(after.filter(({ fileId }) => files.includes(fileId)));
    if (stored !== openFiles) await tx.run(setOpenFiles, [userId, agentId, sourceId, stored]);
  }
  return after;
}

type MatchRow = MatchingLine & { readonly total: number };

async function match(tx: Transaction, { userId, agentId }: Whose, query: LineQuery) {
  const ids = query.fileIds.filter(isUuid);
  if (!isUuid(agentId) || ids.length === 0) return { lines: [], total: 0 };
  const { around, limit, offset } = query;
  const files = storableJson(ids);
  const rows = await tx.run<MatchRow>(matchLines, [
    userId,
    agentId,
    files,
    storableText(query.pattern),
    around,
    limit,
    offset,
  ]);
  return { lines: rows.map(({ total: _total, ...line }) => line), total: rows[0]?.total ?? 0 };
}

function patternRefused(pattern: string) {
  return (error: unknown): never => {
    if (sqlStateOf(error) !== invalidPattern) throw error;
    throw new ToolError(
      `Expected a regular expression, got "${pattern}". To find a text as it is, put a backslash before . * + ? ( ) [ ] { } ^ $ | and \\.`,
      { cause: error },
    );
  };
}
