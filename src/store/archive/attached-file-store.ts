// Reads the files of the sources that are attached to an agent, and records which of them are open.
// Invariant: every statement reads only files of the user's attached sources. The record of open files changes only while
// the agent's attached sources are locked.
import { storableJson } from "../../base/code-points.ts";
import type { UserContext } from "../connection/database.ts";
import type { Transaction } from "../connection/transaction.ts";
import type {
  AttachedFile,
  AttachedFileStore,
  FilePassage,
  OpenFile,
  PlacedPassage,
} from "../port/attached-file-store.ts";
import type { Whose } from "../agents/module-changes.ts";
import { idsIn, isUuid } from "../stored-values.ts";

export function createAttachedFileStore({ userId, transaction, statement }: UserContext): AttachedFileStore {
  return {
    list: async (agentId) => (await statement<FileRow>(listAttachedFiles, [userId, agentId])).map(fileOfRow),
    holders: async (agentIds) => {
      const rows = await statement<{ readonly agentId: string }>(holdersOfFiles, [userId, agentIds]);
      return rows.map(({ agentId }) => agentId);
    },
    passages: async (agentId, ranges) => {
      const files = ranges.filter(({ id }) => isUuid(id));
      return files.length === 0 ? [] : statement<FilePassage>(passagesOfFiles, [userId, agentId, files]);
    },
    changeOpen: (agentId, change) => transaction((tx) => changeOpen(tx, { userId, agentId }, change)),
    passagesAfter: (agentId, { fileIds, after, limit }) =>
      statement<PlacedPassage>(passagesAfter, [userId, agentId, fileIds, after, limit]),
  };
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

const attached = `
from agent_sources a
join sources s on s.user_id = a.user_id and s.id = a.source_id
join source_files f on f.user_id = a.user_id and f.source_id = a.source_id and f.passages > 0
where a.user_id = $1 and a.agent_id = $2::uuid`;

/** $1 user, $2 agent. */
const listAttachedFiles = `
select f.id, f.source_id as "sourceId", s.name as "sourceName", f.path, f.passages, a.open_files as "openFiles",
  coalesce((
    select p.place ->> 'file' from passages p where p.user_id = $1 and p.file_id = f.id order by p.id limit 1
  ), f.path) as name
${attached}
order by s.name, s.id, f.path`;

/** $1 user, $2 agents. */
const holdersOfFiles = `
select distinct a.agent_id as "agentId" from agent_sources a
where a.user_id = $1 and a.agent_id in (${idsIn("$2")})
  and exists (select from source_files f where f.user_id = $1 and f.source_id = a.source_id and f.passages > 0)`;

/** $1 user, $2 agent. Locks the selected rows until the transaction ends. */
const lockOpenFiles = `
select a.source_id as "sourceId", a.open_files as "openFiles",
  (select coalesce(jsonb_agg(f.id), '[]') from source_files f where f.user_id = $1 and f.source_id = a.source_id) as files
from agent_sources a
where a.user_id = $1 and a.agent_id = $2::uuid
order by a.source_id
for update`;

/** $1 user, $2 agent, $3 source, $4 open files. */
const setOpenFiles = `
update agent_sources set open_files = $4 where user_id = $1 and agent_id = $2::uuid and source_id = $3::uuid`;

/** The order of a file's passages: by line and page; without line and page, in the order in which they were read. */
const inOrder = `coalesce((p.place ->> 'lineFrom')::int, 0), coalesce((p.place ->> 'page')::int, 0), p.id`;

/** $1 user, $2 agent, $3 ranges of lines: `id` of the file, `first` and `last` line. */
const passagesOfFiles = `
select f.id as "fileId", coalesce(p.content, '') as content, p.place, f."lastLine"
from (
  select r.id, r.first, r.last, (
    select max((q.place ->> 'lineTo')::int) from passages q where q.user_id = $1 and q.file_id = r.id
  ) as "lastLine"
  from jsonb_to_recordset($3::text::jsonb) as r (id uuid, first int, last int)
  where r.id in (select f.id ${attached})
) f
left join passages p on p.user_id = $1 and p.file_id = f.id
  and (p.place ->> 'lineFrom' is null
    or ((p.place ->> 'lineTo')::int >= f.first and (p.place ->> 'lineFrom')::int <= f.last))
order by f.id, ${inOrder}`;

/** $1 user, $2 agent, $3 files, $4 the passage after which to start, null for the first, $5 limit. */
const passagesAfter = `
select p.id, p.file_id as "fileId", p.content, p.place
from passages p
where p.user_id = $1 and p.file_id in (select f.id ${attached} and f.id in (${idsIn("$3")}))
  and ($4::uuid is null or p.id > $4::uuid)
order by p.id
limit $5::int`;
