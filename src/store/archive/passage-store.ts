// Stores archival memory: passages and their vectors.
// Invariant: a vector with the wrong number of dimensions is an error, never skipped silently.
import { and, eq, type SQL } from "drizzle-orm";
import { storableText } from "../../base/code-points.ts";
import { RevisionConflictError } from "../../base/errors.ts";
import { requireAgent } from "../agents/agent-access.ts";
import type { UserContext } from "../connection/database.ts";
import { runWithCustomPlans } from "../connection/force-custom-plans.ts";
import type { Transaction } from "../connection/transaction.ts";
import { ensureUser, isForgottenSince, lockUser } from "../own-rows.ts";
import { type Direction, inRange, rowsInRange } from "../pages.ts";
import type { ListRange } from "../port/page.ts";
import type { AddedPassage, NewPassage, PassageArchive, PassagePart, PassageStore } from "../port/passage-store.ts";
import type { Origin } from "../port/records.ts";
import { passages } from "../schema.ts";
import { searchIn } from "../search/passage-search.ts";
import { addPassage, insertPassages } from "../sql/add-passages.ts";
import { addVectors, countWithoutVector, passagesWithoutVector } from "../sql/vectors.ts";
import { createVectorTables, needParameters, type UnversionedRow, versioned } from "../vectors/vector-tables.ts";
import { idsIn, isUuid } from "../stored-values.ts";
import { vectorText } from "../vectors/vector-text.ts";
import { contentHash, passageOfRow, type PassageRow, passageRows } from "./passage-rows.ts";
import { requireSource } from "./source-store.ts";

interface PassageText {
  readonly id: string;
  readonly content: string;
}

export function createPassageStore({ userId, transaction, repeatable, statement }: UserContext): PassageStore {
  const tables = createVectorTables({ repeatable });
  const list = async (ofOwner: (direction: Direction) => string, ownerId: string, range: ListRange) =>
    (await rowsInRange<PassageRow>(statement, { range, statement: ofOwner, parameters: [userId, ownerId] })).map(
      passageOfRow,
    );
  return {
    addOne: (archive, passage, origin) => transaction((tx) => addOne(tx, userId, { archive, passage, origin })),
    replace: (agentId, passage, made) =>
      transaction((tx) => replaceCurrent(tx, userId, { archive: { agentId }, passage, ...made })),
    add: (agentId, added, origin) =>
      transaction(async (tx) => {
        await requireAgent(tx, userId, agentId);
        if (added.length === 0) return 0;
        await ensureUser(tx, userId);
        const parameters = [userId, agentId, passageRows(added, { origin })];
        const [row] = await tx.run<{ readonly added: number }>(insertPassages, parameters);
        return row?.added ?? 0;
      }),
    search: (query) => searchIn({ statement }, query),
    list: (agentId, range) => list(listPassages, agentId, range),
    listOfSource: (sourceId, range) => list(listPassagesOfSource, sourceId, range),
    count: async (agentId) =>
      (await statement<{ readonly passages: number }>(countPassages, [userId, agentId]))[0]!.passages,
    after: async (agentId, passageId, limit, part = {}) => {
      const parameters = [userId, agentId, passageId, limit, ...(part.since === undefined ? [] : [part.since])];
      return (await statement<PassageRow>(passagesAfter(part), parameters)).map(passageOfRow);
    },
    idOf: async (agentId, text) =>
      (await statement<{ readonly id: string }>(idOfPassage, [userId, agentId, contentHash(text)]))[0]?.id ?? null,
    idsEnding: async (agentId, endings) =>
      (await statement<{ readonly id: string }>(idsEnding, [userId, agentId, endings])).map(({ id }) => id),
    setTags: (archive, passageId, tags) => transaction((tx) => setTags(tx, { userId, passageId, ...archive }, tags)),
    delete: (agentId, passageId) => transaction((tx) => remove(tx, { userId, passageId, agentId })),
    deleteOfSource: (sourceId, passageId) => transaction((tx) => remove(tx, { userId, passageId, sourceId })),
    countAccesses: (passageIds, now) =>
      transaction(async (tx) => void (await tx.run(countAccesses, [userId, passageIds.filter(isUuid), now]))),
    async withoutVector(archiveId, { embedder, dimensions, limit, among }) {
      await tables.ensure(dimensions);
      const parameters = [userId, archiveId, embedder, limit];
      const without = passagesWithoutVector(dimensions, among);
      return versioned(await runWithCustomPlans<UnversionedRow<PassageText>>({ repeatable }, without, parameters));
    },
    async addVectors(archiveId, { embedder, dimensions, rows }) {
      const vectors = rows.map(({ passageId, vector, forgettings }) => ({
        passage_id: passageId,
        vector: vectorText(vector, dimensions),
        forgettings,
      }));
      await tables.ensure(dimensions);
      if (vectors.length === 0) return;
      const parameters = [userId, archiveId, embedder, vectors];
      await runWithCustomPlans({ repeatable }, addVectors("passages", dimensions), parameters);
    },
    async countWithoutVector(need) {
      await tables.ensure(need.dimensions);
      return runWithCustomPlans({ repeatable }, countWithoutVector(need.dimensions), [userId, ...needParameters(need)]);
    },
  };
}

interface OnePassage {
  readonly archive: PassageArchive;
  readonly passage: NewPassage;
  readonly origin: Origin;
}

async function addOne(
  tx: Transaction,
  userId: string,
  { archive, passage, origin }: OnePassage,
): Promise<AddedPassage> {
  const agentId = "agentId" in archive ? archive.agentId : null;
  const sourceId = "sourceId" in archive ? archive.sourceId : null;
  if (agentId !== null) await requireAgent(tx, userId, agentId);
  if (sourceId !== null) await requireSource(tx, userId, sourceId);
  await ensureUser(tx, userId);
  const parameters = [userId, agentId, passageRows([passage], { origin }), sourceId];
  const [row] = await tx.run<{ readonly id: string | null; readonly isNew: boolean }>(addPassage, parameters);
  if (row !== undefined && row.id !== null) return { id: row.id, isNew: row.isNew };
  // A concurrent transaction has added this text. Only a second statement sees its passage.
  const [added] = await tx.run<AddedPassage>(addPassage, parameters);
  return added!;
}

/**
 * Locks the passages to replace, then adds the new one. Throws RevisionConflictError if a passage to replace is not current,
 * or if a forgetting was applied since `forgettings` was read.
 */
async function replaceCurrent(
  tx: Transaction,
  userId: string,
  added: OnePassage & { readonly archive: { readonly agentId: string }; readonly forgettings: number },
): Promise<AddedPassage> {
  const { archive, passage, forgettings } = added;
  const replaced = new Set(passage.replaces);
  await requireAgent(tx, userId, archive.agentId);
  await ensureUser(tx, userId);
  await lockUser(tx, userId);
  if (await isForgottenSince(tx, userId, forgettings)) throw new RevisionConflictError("archive");
  const current = await tx.run(currentPassages, [userId, archive.agentId, [...replaced]]);
  if (current.length < replaced.size) throw new RevisionConflictError("archive");
  return addOne(tx, userId, added);
}

type StoredPassage = PassageArchive & { readonly userId: string; readonly passageId: string };

function isPassage({ userId, passageId, ...archive }: StoredPassage): SQL | undefined {
  const ofOwner =
    "agentId" in archive ? eq(passages.agentId, archive.agentId) : eq(passages.sourceId, archive.sourceId);
  return and(eq(passages.userId, userId), ofOwner, eq(passages.id, passageId));
}

async function remove(tx: Transaction, passage: StoredPassage): Promise<boolean> {
  return (await tx.tables.delete(passages).where(isPassage(passage)).returning({ id: passages.id })).length > 0;
}

async function setTags(tx: Transaction, passage: StoredPassage, tags: readonly string[]): Promise<boolean> {
  const change = { tags: tags.map(storableText) };
  const changed = tx.tables.update(passages).set(change).where(isPassage(passage));
  return (await changed.returning({ id: passages.id })).length > 0;
}

const columns = `id, content, to_jsonb(tags) as tags, kind, origin, trust, external, importance, created_at, source_id,
  null as source_name, place, replaced_by, conversation_id, message_id`;

/** Statement for `rowsInRange` that lists the passages of one agent or source, whose id is the further parameter $5. */
function listOf(owner: "agent_id" | "source_id", direction: Direction): string {
  const own = `user_id = $1 and ${owner} = $5::uuid and archive_id = $5::uuid`;
  // One subquery for each column, because an index cannot be searched with a subquery that returns two columns.
  const of = (id: string) => `((select created_at from passages where ${own} and id = ${id}), ${id})`;
  return `
select ${columns}
from passages
where ${own}
  ${inRange({ by: ["created_at", "id"], of, direction })}`;
}

const listPassages = (direction: Direction): string => listOf("agent_id", direction);
const listPassagesOfSource = (direction: Direction): string => listOf("source_id", direction);

/** $1 user, $2 agent, $3 ids. */
const currentPassages = `
select id from passages
where user_id = $1 and archive_id = $2::uuid and replaced_by is null and id in (${idsIn("$3")})
order by id for update`;

/** $1 user, $2 agent. */
const countPassages =
  "select count(*)::int as passages from passages where user_id = $1 and agent_id = $2::uuid and archive_id = $2::uuid";

/** $1 user, $2 agent, $3 the last characters of ids. */
const idsEnding = `
select id from passages
where user_id = $1 and agent_id = $2::uuid and archive_id = $2::uuid
  and exists (select from jsonb_array_elements_text($3::text::jsonb) e where right(id::text, length(e)) = e)`;

/** $1 user, $2 agent, $3 the hash of the text. */
const idOfPassage = `
select id from passages where user_id = $1 and archive_id = $2::uuid and content_hash = decode($3, 'hex')`;

const createdSince = "user_id = $1 and archive_id = $2::uuid and created_at >= $5::timestamptz";

/**
 * Reads passages in batches, ordered by id. $1 user, $2 agent, $3 the id to start after or null, $4 maximum rows, $5 the
 * value of `since`, if given.
 */
const passagesAfter = ({ isCurrent, since }: PassagePart): string => `
select ${columns}
from passages p
where p.user_id = $1 and p.agent_id = $2::uuid and ($3::uuid is null or p.id > $3::uuid)
  ${isCurrent === true ? "and p.replaced_by is null" : ""}
  ${since === undefined ? "" : `and p.id in (${sinceThen})`}
order by p.id limit $4::int`;

const sinceThen = `
select id from passages where ${createdSince} union all
select r.id from passages r where r.user_id = $1 and r.replaced_by in (select id from passages where ${createdSince})`;

/** Increments the access count of passages that a search has shown: $1 user, $2 ids, $3 now. */
export const countAccesses = `
update passages set access_count = access_count + 1, accessed_at = $3::timestamptz
where user_id = $1 and id = any (array(select a.id::uuid from jsonb_array_elements_text($2::text::jsonb) a (id)))`;
