// Reads the files of the sources that are attached to an agent, and keeps which of them are open.
// Invariant: open files are changed under a lock of the agent's attached sources.
import { storableJson } from "../../base/code-points.ts";
import type {
  AttachedFile,
  AttachedFileStore,
  FilePassage,
  OpenFile,
  PlacedPassage,
} from "../port/attached-file-store.ts";
import type { UserContext } from "../connection/database.ts";
import type { Transaction } from "../connection/transaction.ts";
import {
  holdersOfFiles,
  listAttachedFiles,
  lockOpenFiles,
  passagesAfter,
  passagesOfFiles,
  setOpenFiles,
} from "../sql/attached-files.ts";
import { isUuid, storableIds } from "../uuid.ts";

export function createAttachedFileStore({
  userId,
  transaction,
  repeatable,
  statement,
}: UserContext): AttachedFileStore {
  return {
    list: (agentId) =>
      repeatable(async (tx) => {
        if (!isUuid(agentId)) return [];
        return (await tx.run<FileRow>(listAttachedFiles, [userId, agentId])).map(fileOfRow);
      }),
    holders: async (agentIds) => {
      type Holder = { readonly agentId: string };
      const rows = await statement<Holder>(holdersOfFiles, [userId, storableIds(agentIds)]);
      return rows.map(({ agentId }) => agentId);
    },
    passages: (agentId, ranges) =>
      repeatable(async (tx) => {
        const files = ranges.filter(({ id }) => isUuid(id));
        if (!isUuid(agentId) || files.length === 0) return [];
        return tx.run<FilePassage>(passagesOfFiles, [userId, agentId, storableJson(files)]);
      }),
    changeOpen: (agentId, change) =>
      transaction(async (tx) => (isUuid(agentId) ? changeOpen(tx, { userId, agentId }, change) : [])),
    passagesAfter: async (agentId, { fileIds, after, limit }) => {
      if (!isUuid(agentId)) return [];
      return statement<PlacedPassage>(passagesAfter, [userId, agentId, storableIds(fileIds), after, limit]);
    },
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
