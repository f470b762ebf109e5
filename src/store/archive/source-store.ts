// Stores sources and the agents that they are attached to.
// Invariant: names are unique per user; attaching adds a row and copies nothing.
import { and, eq } from "drizzle-orm";
import { codePointLength, storableText } from "../../base/code-points.ts";
import { RequestError } from "../../errors.ts";
import type { SourceRecord, SourceStore } from "../../memory/source-store.ts";
import { requireAgent } from "../agents/agent-access.ts";
import { sqlStateOf } from "../connection/database-error.ts";
import { ensureUser } from "../agents/known-user.ts";
import { agentSources, sources } from "../schema.ts";
import { requireSource } from "./source-access.ts";
import { listSources } from "../sql/list-sources.ts";
import type { Transaction } from "../connection/transaction.ts";
import type { UserContext } from "../connection/database.ts";
import { isUuid } from "../uuid.ts";

/** SQLSTATE of a duplicate key. */
const uniqueViolation = "23505";

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
    rename: (sourceId, name) =>
      transaction((tx) => rename(tx, userId, { sourceId, name })).catch((error: unknown) => {
        // The unique key decides, so of two concurrent calls only one gets the name.
        throw sqlStateOf(error) === uniqueViolation ? nameTaken(name, error) : error;
      }),
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

async function rename(
  tx: Transaction,
  userId: string,
  { sourceId, name }: { readonly sourceId: string; readonly name: string },
): Promise<void> {
  const wanted = requireName(name);
  await requireSource(tx, userId, sourceId);
  const own = and(eq(sources.userId, userId), eq(sources.id, sourceId));
  await tx.tables.update(sources).set({ name: wanted }).where(own);
}

interface SourceRow extends Omit<SourceRecord, "createdAt" | "loadedAt"> {
  readonly created_at: string;
  readonly loaded_at: string | null;
}

function sourceOfRow({ created_at, loaded_at, ...row }: SourceRow): SourceRecord {
  return { ...row, createdAt: new Date(created_at), loadedAt: loaded_at === null ? null : new Date(loaded_at) };
}

function nameTaken(name: string, cause: unknown): RequestError {
  const message = `Expected a new source name, got "${name}", which exists already. Choose another name, or delete that source first.`;
  return new RequestError("source_exists", message, { cause });
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
