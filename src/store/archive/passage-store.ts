// Stores archival memory: passages and their vectors.
// Invariant: a vector of the wrong width is an error, never skipped silently.
import { and, eq, type SQL } from "drizzle-orm";
import { storableJson, storableText } from "../../base/code-points.ts";
import type { AddedPassage, NewPassage, PassageArchive, PassageRecord, PassageStore } from "../port/passage-store.ts";
import type { ListRange } from "../port/page.ts";
import type { Origin } from "../port/records.ts";
import { requireAgent } from "../agents/agent-access.ts";
import { ensureUser } from "../agents/known-user.ts";
import { keysetOf } from "../list-range.ts";
import { runWithCustomPlans } from "../connection/force-custom-plans.ts";
import { requireSource } from "./source-access.ts";
import { contentHash, passageOfRow, type PassageRow, passagesAsJson } from "./passage-rows.ts";
import { searchIn } from "../search/passage-search.ts";
import { passages } from "../schema.ts";
import { countAccesses } from "../sql/count-accesses.ts";
import { addPassage } from "../sql/add-passage.ts";
import { insertPassages } from "../sql/insert-passages.ts";
import { countPassages, idOfPassage, idsEnding, listPassages, listPassagesOfSource } from "../sql/list-passages.ts";
import { passagesAfter } from "../sql/passages-after.ts";
import { addVectors, countWithoutVector, passagesWithoutVector } from "../sql/vectors.ts";
import type { Transaction } from "../connection/transaction.ts";
import type { UserContext } from "../connection/database.ts";
import { isUuid } from "../uuid.ts";
import { needParameters } from "../vectors/vector-need-rows.ts";
import { type UnversionedRow, versioned } from "../vectors/text-versions.ts";
import { createVectorTables } from "../vectors/vector-tables.ts";
import { vectorText } from "../vectors/vector-text.ts";
import { timeText } from "../stored-times.ts";

interface PassageText {
  readonly id: string;
  readonly content: string;
}

export function createPassageStore({ userId, transaction, repeatable }: UserContext): PassageStore {
  const tables = createVectorTables({ repeatable });
  return {
    addOne: (archive, passage, origin) => transaction((tx) => addOne(tx, userId, { archive, passage, origin })),
    add: (agentId, added, origin) => transaction((tx) => add(tx, userId, { agentId, added, origin })),
    search: (query) => repeatable((tx) => searchIn(tx, query)),
    list: (agentId, range) => repeatable((tx) => list(tx, listPassages, [userId, agentId, range])),
    listOfSource: (sourceId, range) => repeatable((tx) => list(tx, listPassagesOfSource, [userId, sourceId, range])),
    count: (agentId) =>
      repeatable(async (tx) => {
        if (!isUuid(agentId)) return 0;
        const [row] = await tx.run<{ readonly passages: number }>(countPassages, [userId, agentId]);
        return row!.passages;
      }),
    after: (agentId, passageId, limit) =>
      repeatable(async (tx) => {
        if (!isUuid(agentId)) return [];
        const rows = await tx.run<PassageRow>(passagesAfter, [userId, agentId, passageId, limit]);
        return rows.map(passageOfRow);
      }),
    idOf: (agentId, text) => repeatable((tx) => idOf(tx, userId, { agentId, text })),
    idsEnding: (agentId, endings) =>
      repeatable(async (tx) => {
        if (!isUuid(agentId)) return [];
        const rows = await tx.run<{ readonly id: string }>(idsEnding, [userId, agentId, storableJson(endings)]);
        return rows.map(({ id }) => id);
      }),
    setTags: (archive, passageId, tags) => transaction((tx) => setTags(tx, { userId, passageId, ...archive }, tags)),
    delete: (agentId, passageId) => transaction((tx) => remove(tx, { userId, passageId, agentId })),
    deleteOfSource: (sourceId, passageId) => transaction((tx) => remove(tx, { userId, passageId, sourceId })),
    countAccesses: (passageIds, now) =>
      transaction(async (tx) => {
        await tx.run(countAccesses, [userId, storableJson(passageIds.filter(isUuid)), timeText(now)]);
      }),
    async withoutVector(archiveId, { embedder, dimensions, limit, among }) {
      await tables.ensure(dimensions);
      if (!isUuid(archiveId)) return [];
      const parameters = [userId, archiveId, storableText(embedder), limit];
      const statement = passagesWithoutVector(dimensions, among);
      return versioned(await runWithCustomPlans<UnversionedRow<PassageText>>({ repeatable }, statement, parameters));
    },
    async addVectors(archiveId, { embedder, dimensions, rows }) {
      const vectors = rows.map(({ passageId, vector, forgettings }) => ({
        passage_id: passageId,
        vector: vectorText(vector, dimensions),
        forgettings: forgettings ?? null,
      }));
      await tables.ensure(dimensions);
      if (vectors.length === 0 || !isUuid(archiveId)) return;
      const parameters = [userId, archiveId, storableText(embedder), storableJson(vectors)];
      await runWithCustomPlans({ repeatable }, addVectors("passages", dimensions), parameters);
    },
    async countWithoutVector(need) {
      await tables.ensure(need.dimensions);
      return runWithCustomPlans({ repeatable }, countWithoutVector(need.dimensions), [userId, ...needParameters(need)]);
    },
  };
}

async function idOf(
  tx: Transaction,
  userId: string,
  { agentId, text }: { readonly agentId: string; readonly text: string },
): Promise<string | null> {
  if (!isUuid(agentId)) return null;
  const [row] = await tx.run<{ readonly id: string }>(idOfPassage, [userId, agentId, contentHash(storableText(text))]);
  return row?.id ?? null;
}

async function add(
  tx: Transaction,
  userId: string,
  request: { readonly agentId: string; readonly added: readonly NewPassage[]; readonly origin: Origin },
): Promise<number> {
  const { agentId, added, origin } = request;
  await requireAgent(tx, userId, agentId);
  if (added.length === 0) return 0;
  await ensureUser(tx, userId);
  const [row] = await tx.run<{ readonly added: number }>(insertPassages, [
    userId,
    agentId,
    passagesAsJson(added, { origin }),
  ]);
  return row?.added ?? 0;
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
  const parameters = [userId, agentId, passagesAsJson([passage], { origin }), sourceId];
  const [row] = await tx.run<{ readonly id: string | null; readonly isNew: boolean }>(addPassage, parameters);
  if (row !== undefined && row.id !== null) return { id: row.id, isNew: row.isNew };
  // A statement that ran at the same time has added the text: the next one sees it.
  const [added] = await tx.run<AddedPassage>(addPassage, parameters);
  return added!;
}

type ListRequest = readonly [userId: string, ownerId: string, range: ListRange];

async function list(
  tx: Transaction,
  statement: (direction: "asc" | "desc") => string,
  [userId, ownerId, range]: ListRequest,
): Promise<readonly PassageRecord[]> {
  if (!isUuid(ownerId)) return [];
  const { newerThan, olderThan, direction, inOrder } = keysetOf(range);
  const parameters = [userId, ownerId, newerThan, olderThan, range.limit];
  const rows = await tx.run<PassageRow>(statement(direction), parameters);
  return inOrder(rows).map(passageOfRow);
}

type StoredPassage = PassageArchive & { readonly userId: string; readonly passageId: string };

/** Returns the condition for a passage; null for an id that is none. */
function isPassage({ userId, passageId, ...archive }: StoredPassage): SQL | null {
  const isOfAgent = "agentId" in archive;
  const ownerId = isOfAgent ? archive.agentId : archive.sourceId;
  if (!isUuid(ownerId) || !isUuid(passageId)) return null;
  const ofOwner = eq(isOfAgent ? passages.agentId : passages.sourceId, ownerId);
  return and(eq(passages.userId, userId), ofOwner, eq(passages.id, passageId)) ?? null;
}

async function remove(tx: Transaction, passage: StoredPassage): Promise<boolean> {
  const condition = isPassage(passage);
  if (condition === null) return false;
  const removed = await tx.tables.delete(passages).where(condition).returning({ id: passages.id });
  return removed.length > 0;
}

async function setTags(tx: Transaction, passage: StoredPassage, tags: readonly string[]): Promise<boolean> {
  const condition = isPassage(passage);
  if (condition === null) return false;
  const change = { tags: tags.map(storableText) };
  const changed = await tx.tables.update(passages).set(change).where(condition).returning({ id: passages.id });
  return changed.length > 0;
}
