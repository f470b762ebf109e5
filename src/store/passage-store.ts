// Archival memory: passages, their vectors and the search over both.
// Invariant: a vector of the wrong width is an error, never left out silently.
import { and, eq } from "drizzle-orm";
import { toSql } from "pgvector";
import { storableText } from "../base/code-points.ts";
import { EmbeddingError } from "../errors.ts";
import type { NewPassage, Origin, PassageRecord } from "../memory/records.ts";
import type { Page, PassageQuery, PassageStore, PassageVectors } from "../memory/store.ts";
import { requireAgent } from "./agent-access.ts";
import { ensureUser } from "./known-user.ts";
import { emptyPage, offsetOf, pageOf, type PageRow } from "./pages.ts";
import { passageOfRow, type PassageRow, passagesAsJson } from "./passage-rows.ts";
import { passages } from "./schema.ts";
import { searchTermsOf } from "./search-terms.ts";
import { countPassages } from "./sql/count-passages.ts";
import { countWithoutVector } from "./sql/count-without-vector.ts";
import { addVectors } from "./sql/add-vectors.ts";
import { insertPassages } from "./sql/insert-passages.ts";
import { listPassages } from "./sql/list-passages.ts";
import { passagesWithoutVector } from "./sql/passages-without-vector.ts";
import { searchPassages } from "./sql/search-passages.ts";
import { storableJson } from "./storable-json.ts";
import type { SqlParameter, Transaction } from "./transaction.ts";
import type { UserContext } from "./user-context.ts";
import { isUuid } from "./uuid.ts";

/** The width of the vectors that there is a table for. */
const tableWidth = 512;

/** Candidates by meaning alone: how many, and how similar (cosine) they must at least be. */
const nearest = 50;
const leastSimilarity = 0.35;

/** How much meaning counts beside words, and what a literal match adds. */
const meaningWeight = 0.5;
const literalBoost = 1;

export function createPassageStore({ userId, transaction }: UserContext): PassageStore {
  return {
    add: (agentId, added, origin) => transaction((tx) => add(tx, userId, { agentId, added, origin })),
    search: (query) => transaction((tx) => search(tx, query)),
    list: (agentId, request) =>
      transaction(async (tx) => {
        if (!isUuid(agentId)) return emptyPage;
        const rows = await tx.run<PageRow<PassageRow>>(listPassages, [
          userId,
          agentId,
          offsetOf(request),
          request.pageSize,
        ]);
        return pageOf<PassageRow, PassageRecord>(rows, passageOfRow);
      }),
    count: (agentId, most) =>
      transaction(async (tx) => {
        if (!isUuid(agentId)) return 0;
        const [row] = await tx.run<{ readonly count: number }>(countPassages, [userId, agentId, most]);
        return row!.count;
      }),
    delete: (agentId, passageId) =>
      transaction(async (tx) => {
        if (!isUuid(agentId) || !isUuid(passageId)) return false;
        const deleted = await tx.tables
          .delete(passages)
          .where(and(eq(passages.userId, userId), eq(passages.agentId, agentId), eq(passages.id, passageId)))
          .returning({ id: passages.id });
        return deleted.length > 0;
      }),
    withoutVector: (agentId, { embedder, dimensions, limit }) =>
      transaction(async (tx) => {
        requireWidth(dimensions);
        if (!isUuid(agentId)) return [];
        return tx.run(passagesWithoutVector, [userId, agentId, embedder, limit]);
      }),
    addVectors: (agentId, vectors) => transaction((tx) => storeVectors(tx, userId, { agentId, vectors })),
    countWithoutVector: ({ embedder, dimensions }) =>
      transaction(async (tx) => {
        requireWidth(dimensions);
        return tx.run(countWithoutVector, [userId, embedder]);
      }),
  };
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

async function search(tx: Transaction, query: PassageQuery): Promise<Page<PassageRecord>> {
  const { pattern, words, fragments } = searchTermsOf(query.text);
  if (query.vector !== null) requireWidth(query.vector.length);
  if (!isUuid(query.agentId) || (pattern === null && query.vector === null)) return emptyPage;
  const rows = await tx.run<PageRow<PassageRow>>(searchPassages, [
    query.agentId,
    pattern,
    words,
    storableJson(fragments),
    query.vector === null ? null : vectorText(query.vector),
    query.embedder ?? null,
    ...limitsOf(query),
    nearest,
    leastSimilarity,
    meaningWeight,
    literalBoost,
  ]);
  return pageOf<PassageRow, PassageRecord>(rows, passageOfRow);
}

function limitsOf({ tags, span, ...request }: PassageQuery): readonly SqlParameter[] {
  return [
    tags === undefined || tags.length === 0 ? null : storableJson(tags),
    span?.from?.toISOString() ?? null,
    span?.before?.toISOString() ?? null,
    offsetOf(request),
    request.pageSize,
  ];
}

async function storeVectors(
  tx: Transaction,
  userId: string,
  { agentId, vectors }: { readonly agentId: string; readonly vectors: PassageVectors },
): Promise<void> {
  requireWidth(vectors.dimensions);
  for (const { vector } of vectors.rows) requireWidth(vector.length);
  if (vectors.rows.length === 0 || !isUuid(agentId)) return;
  const rows = vectors.rows.map(({ passageId, vector }) => ({ passage_id: passageId, vector: vectorText(vector) }));
  await tx.run(addVectors, [userId, agentId, storableText(vectors.embedder), storableJson(rows)]);
}

function vectorText(vector: readonly number[]): string {
  if (!vector.every(Number.isFinite))
    throw new EmbeddingError("embedding_failed", "A vector holds a number that is not finite.");
  return String(toSql([...vector]));
}

function requireWidth(dimensions: number): void {
  if (dimensions === tableWidth) return;
  throw new EmbeddingError(
    "embedding_width",
    `There is a table for vectors of ${tableWidth} dimensions, these have ${dimensions}.`,
  );
}
