// Stores sources and the agents that they are attached to.
// Invariant: names are unique per user; attaching adds a row and copies nothing.
import { and, eq } from "drizzle-orm";
import { codePointLength, storableJson, storableText } from "../../base/code-points.ts";
import { RequestError } from "../../base/errors.ts";
import type { SourceDetails, SourceRecord, SourceStore } from "../port/source-store.ts";
import { requireAgent } from "../agents/agent-access.ts";
import { isDuplicateKey } from "../connection/database-error.ts";
import { ensureUser } from "../agents/known-user.ts";
import { agentSources, sources } from "../schema.ts";
import { requireSource } from "./source-access.ts";
import { listSources } from "../sql/list-sources.ts";
import type { Transaction } from "../connection/transaction.ts";
import type { UserContext } from "../connection/database.ts";
import { isUuid } from "../uuid.ts";
import { timeOf } from "../stored-times.ts";

/** In code points. */
const nameLimit = 200;

export function createSourceStore({ userId, transaction }: UserContext): SourceStore {
  const attachment = (agentId: string, sourceId: string) =>
    and(eq(agentSources.userId, userId), eq(agentSources.agentId, agentId), eq(agentSources.sourceId, sourceId));
  return {
    ensure: ({ id, name, description }) =>
      transaction(async (tx) => {
        const text = description === null ? null : storableText(description);
        const row = { userId, id, name: requireName(name), description: text };
        await ensureUser(tx, userId);
        const [made] = await tx.tables
          .insert(sources)
          .values(row)
          .onConflictDoUpdate({
            target: [sources.userId, sources.name],
            set: text === null ? { name: row.name } : { description: text },
          })
          .returning({ id: sources.id });
        return made!.id;
      }),
    list: () =>
      transaction(async (tx) => (await tx.run<SourceRow>(listSources, [userId, null, null])).map(sourceOfRow)),
    find: (nameOrId) =>
      transaction(async (tx) => {
        const id = isUuid(nameOrId) ? nameOrId : null;
        const [row] = await tx.run<SourceRow>(listSources, [userId, storableText(nameOrId), id]);
        return row === undefined ? null : sourceOfRow(row);
      }),
    create: (source) => transaction((tx) => create(tx, userId, source)).catch(nameTaken(source.name)),
    update: (sourceId, change) =>
      transaction((tx) => update(tx, userId, { sourceId, change })).catch(nameTaken(change.name)),
    delete: (sourceId) =>
      transaction(async (tx) => {
        if (!isUuid(sourceId)) return false;
        const own = and(eq(sources.userId, userId), eq(sources.id, sourceId));
        return (await tx.tables.delete(sources).where(own).returning({ id: sources.id })).length > 0;
      }),
    attach: (agentId, sourceId) =>
      transaction(async (tx) => {
        await requireAgent(tx, userId, agentId);
        await requireSource(tx, userId, sourceId);
        const added = await tx.tables
          .insert(agentSources)
          .values({ userId, agentId, sourceId })
          .onConflictDoNothing()
          .returning({ sourceId: agentSources.sourceId });
        return added.length > 0;
      }),
    detach: (agentId, sourceId) =>
      transaction(async (tx) => {
        if (!isUuid(agentId) || !isUuid(sourceId)) return false;
        const gone = await tx.tables
          .delete(agentSources)
          .where(attachment(agentId, sourceId))
          .returning({ sourceId: agentSources.sourceId });
        return gone.length > 0;
      }),
  };
}

async function create(
  tx: Transaction,
  userId: string,
  { id, name, ...details }: Partial<SourceDetails> & { readonly id: string; readonly name: string },
): Promise<void> {
  const row = { userId, id, name: requireName(name), ...columnsOf(details) };
  await ensureUser(tx, userId);
  await tx.tables.insert(sources).values(row);
}

interface SourceChange {
  readonly sourceId: string;
  readonly change: Partial<SourceDetails> & { readonly name?: string };
}

async function update(tx: Transaction, userId: string, { sourceId, change }: SourceChange): Promise<void> {
  const { name, ...details } = change;
  const values = { ...columnsOf(details), ...(name === undefined ? {} : { name: requireName(name) }) };
  await requireSource(tx, userId, sourceId);
  if (Object.keys(values).length === 0) return;
  const own = and(eq(sources.userId, userId), eq(sources.id, sourceId));
  await tx.tables.update(sources).set(values).where(own);
}

function columnsOf({ description, metadata, extensions }: Partial<SourceDetails>) {
  return {
    ...(description === undefined ? {} : { description: description === null ? null : storableText(description) }),
    ...(metadata === undefined ? {} : { metadata: storableJson(metadata) }),
    ...(extensions === undefined ? {} : { extensions: storableJson(extensions) }),
  };
}

interface SourceRow extends Omit<SourceRecord, "createdAt" | "loadedAt" | "metadata" | "extensions"> {
  readonly metadata: string;
  readonly extensions: string;
  readonly created_at: string;
  readonly loaded_at: string | null;
}

function sourceOfRow({ created_at, loaded_at, metadata, extensions, ...row }: SourceRow): SourceRecord {
  return {
    ...row,
    metadata: JSON.parse(metadata) as SourceDetails["metadata"],
    extensions: JSON.parse(extensions) as SourceDetails["extensions"],
    createdAt: timeOf(created_at),
    loadedAt: loaded_at === null ? null : timeOf(loaded_at),
  };
}

/** The unique key decides, so of two concurrent calls only one gets the name. */
function nameTaken(name: string | undefined) {
  return (error: unknown): never => {
    if (!isDuplicateKey(error)) throw error;
    const message = `Expected a new source name, got "${name}", which exists already. Choose another name, or delete that source first.`;
    throw new RequestError("source_exists", message, { cause: error });
  };
}

function requireName(name: string): string {
  const stored = storableText(name);
  const length = codePointLength(stored);
  // oxlint-disable-next-line no-control-regex -- characters that a name may not contain
  if (stored.trim() !== "" && length <= nameLimit && !/[\u0000-\u001f\u007f]/u.test(stored)) return stored;
  throw new RequestError(
    "input_invalid",
    `Expected a source name of 1 to ${nameLimit} characters on one line, got ${length} characters. Choose another.`,
  );
}
