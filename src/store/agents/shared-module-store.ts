// Stores modules as rows of their own: those of a user, who holds them, and with whom they are shared.
// Invariant: the database decides what a user may do with another user's module; its refusals become errors here.
import { appendAll } from "../../base/lists.ts";
import { and, asc, eq, sql } from "drizzle-orm";
import { storableJson, storableText } from "../../base/code-points.ts";
import { ModuleAppendOnlyError, ModuleReadOnlyError, RequestError, RevisionConflictError } from "../../base/errors.ts";
import { agentNameFor } from "../port/agent-name.ts";
import {
  maxModules,
  type ModuleAccess,
  type ModuleOfAgent,
  type SharedModule,
  type SharedModuleChange,
  type SharedModuleDefinition,
  type SharedModuleListRequest,
  type SharedModuleStore,
  tooManyModules,
} from "../port/shared-module-store.ts";
import type { Trust } from "../../base/message/message.ts";
import type { UserContext } from "../connection/database.ts";
import { isRefusedWrite, isDuplicateKey } from "../connection/database-error.ts";
import type { Transaction } from "../connection/transaction.ts";
import { requireUserId } from "../connection/user-id.ts";
import { keysetOf } from "../list-range.ts";
import { agentModules, moduleGrants, modules } from "../schema.ts";
import { attachModules, countHeld } from "../sql/create-agent.ts";
import { changeValue, findModule, holdersOfModule, listModules, revisionsOfModule } from "../sql/shared-modules.ts";
import { modulesOfAgents } from "../sql/visible-modules.ts";
import { isUuid, storableIds } from "../uuid.ts";
import { requireAgent } from "./agent-access.ts";
import { ensureUser } from "./known-user.ts";
import { revisionOfRow, type RevisionRow } from "./module-rows.ts";
import { timeOf } from "../stored-times.ts";

/** Agents in one statement. Other users' statements come in between. */
const agentsAtOnce = 50;

interface Row {
  readonly id: string;
  readonly user_id: string;
  readonly label: string;
  readonly description: string | null;
  readonly value: string;
  readonly max_length: number;
  readonly read_only: boolean;
  readonly revision: number;
  readonly tags: string;
  readonly metadata: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly trust: Trust;
  readonly access: SharedModule["access"];
}

export function createSharedModuleStore(context: UserContext): SharedModuleStore {
  const { userId, transaction, repeatable } = context;
  const own = (id: string) => and(eq(modules.userId, userId), eq(modules.id, id));
  return {
    create: (id, module) =>
      transaction(async (tx) => {
        await ensureUser(tx, userId);
        const { label, value, ...rest } = module;
        const texts = { label: storableText(label), value: storableText(value) };
        const settings = settingsOf(rest) as Required<ReturnType<typeof settingsOf>>;
        await tx.tables.insert(modules).values({ ...settings, ...texts, userId, id, trust: "user", isKept: true });
        return (await find(tx, userId, id))!;
      }).catch(throwTaken("The user has a module of this id. Omit the id, or choose another.")),
    find: (id) => repeatable((tx) => find(tx, userId, id)),
    list: (request) => repeatable((tx) => list(tx, userId, request)),
    update: (id, change) => update(context, id, change),
    delete: (id) =>
      transaction(async (tx) => isUuid(id) && (await tx.tables.delete(modules).where(own(id)).returning()).length > 0),
    revisions: (id, limit) =>
      repeatable(async (tx) => {
        const rows = isUuid(id) ? await tx.run<StoredRevision>(revisionsOfModule, [userId, id, limit]) : [];
        return rows.map((row) => revisionOfRow({ ...row, createdAt: timeOf(row.createdAt) }));
      }),
    ...holding(context),
    ...sharing(context),
  };
}

type StoredRevision = Omit<RevisionRow, "createdAt"> & { readonly createdAt: string };

function holding({
  userId,
  transaction,
  repeatable,
  statement,
}: UserContext): Pick<SharedModuleStore, "ofAgents" | "holders" | "attach" | "detach"> {
  return {
    ofAgents: async (agentIds) => {
      type Held = Omit<ModuleOfAgent, "tags" | "metadata"> & Pick<Row, "tags" | "metadata">;
      const rows: Held[] = [];
      for (let at = 0; at < agentIds.length; at += agentsAtOnce) {
        const part = storableIds(agentIds.slice(at, at + agentsAtOnce));
        appendAll(rows, await statement<Held>(modulesOfAgents, [userId, part]));
      }
      return rows.map((row) => ({
        ...row,
        tags: JSON.parse(row.tags) as ModuleOfAgent["tags"],
        metadata: JSON.parse(row.metadata) as ModuleOfAgent["metadata"],
      }));
    },
    holders: (id) =>
      repeatable(async (tx) => {
        if (!isUuid(id)) return [];
        type Holder = { readonly agentId: string; readonly ownerId: string; readonly name: string };
        const rows = await tx.run<Holder>(holdersOfModule, [userId, id]);
        return rows.map(({ agentId, ...agent }) => ({ agentId, agentName: agentNameFor(userId, agent) }));
      }),
    attach: (agentId, ids) =>
      transaction(async (tx) => {
        await requireAgent(tx, userId, agentId);
        return attachAll(tx, userId, { agentId, ids });
      }).catch(throwTaken("The agent has a module of this label. Detach that one, or change a label.")),
    detach: (agentId, id) =>
      transaction(async (tx) => {
        if (!isUuid(agentId) || !isUuid(id)) return false;
        await requireAgent(tx, userId, agentId);
        // First, so that a module that was made for the agent is not deleted with its last holder.
        await tx.tables
          .update(modules)
          .set({ isKept: true })
          .where(and(eq(modules.userId, userId), eq(modules.id, id)));
        const held = and(eq(agentModules.agentId, agentId), eq(agentModules.moduleId, id));
        const gone = await tx.tables
          .delete(agentModules)
          .where(and(eq(agentModules.userId, userId), held))
          .returning();
        return gone.length > 0;
      }),
  };
}

/** Attaches in this order, after the agent's other modules. Throws RequestError `module_unknown`. */
export async function attachAll(
  tx: Transaction,
  userId: string,
  { agentId, ids }: { readonly agentId: string; readonly ids: readonly string[] },
): Promise<readonly string[]> {
  if (ids.length > maxModules) throw tooManyModules(ids.length);
  for (const id of ids) if ((await find(tx, userId, id)) === null) throw moduleUnknown();
  type Attached = { readonly module_id: string };
  const rows = await tx.run<Attached>(attachModules, [userId, agentId, storableJson([...new Set(ids)])]);
  const [{ held } = { held: 0 }] = await tx.run<{ readonly held: number }>(countHeld, [userId, agentId]);
  if (held > maxModules) throw tooManyModules(held);
  return rows.map(({ module_id: id }) => id);
}

type Sharing = Pick<SharedModuleStore, "share" | "unshare" | "recipients" | "offers" | "accept">;

function sharing({ userId, transaction, repeatable }: UserContext): Sharing {
  const { ownerId, moduleId, userId: recipientId, isAccepted } = moduleGrants;
  return {
    share: (id, otherId, access) =>
      transaction(async (tx) => {
        if (!isUuid(id)) return false;
        const call = "select share_module($1::uuid, $2, $3) as shared";
        const [row] = await tx.run<{ readonly shared: boolean }>(call, [id, requireUserId(otherId), access]);
        return row!.shared;
      }),
    unshare: (id, otherId) =>
      transaction(async (tx) => {
        if (!isUuid(id)) return false;
        const ended = and(eq(moduleId, id), eq(recipientId, requireUserId(otherId)));
        return (await tx.tables.delete(moduleGrants).where(ended).returning()).length > 0;
      }),
    recipients: (id) =>
      repeatable(async (tx) => {
        if (!isUuid(id)) return [];
        const shared = and(eq(ownerId, userId), eq(moduleId, id));
        const rows = await tx.tables.select().from(moduleGrants).where(shared).orderBy(asc(recipientId));
        return rows.map((row) => ({
          userId: row.userId,
          access: row.access,
          state: row.isAccepted ? ("accepted" as const) : ("offered" as const),
          at: row.createdAt,
        }));
      }),
    offers: () =>
      repeatable(async (tx) => {
        const open = and(eq(recipientId, userId), eq(isAccepted, false));
        const order = [asc(moduleGrants.createdAt), asc(moduleId)];
        const rows = await tx.tables
          .select()
          .from(moduleGrants)
          .where(open)
          .orderBy(...order);
        return rows.map(({ createdAt, ...row }) => ({
          moduleId: row.moduleId,
          ownerId: row.ownerId,
          label: row.label,
          access: row.access,
          at: createdAt,
        }));
      }),
    accept: (id) =>
      transaction(async (tx) => {
        if (!isUuid(id)) return false;
        const [row] = await tx.run<{ readonly accepted: boolean }>("select accept_module($1::uuid) as accepted", [id]);
        return row!.accepted;
      }),
  };
}

async function find(tx: Transaction, userId: string, id: string): Promise<SharedModule | null> {
  const [row] = isUuid(id) ? await tx.run<Row>(findModule, [userId, id]) : [];
  return row === undefined ? null : moduleOf(row);
}

async function list(
  tx: Transaction,
  userId: string,
  request: SharedModuleListRequest,
): Promise<readonly SharedModule[]> {
  const { label, tags = [], text, agentId = null, limit } = request;
  if (agentId !== null && !isUuid(agentId)) return [];
  const { newerThan, olderThan, direction, inOrder } = keysetOf(request);
  const rows = await tx.run<Row>(listModules(direction), [
    userId,
    label === undefined ? null : storableText(label),
    tags.length === 0 ? null : storableJson(tags),
    text === undefined ? null : storableText(text),
    olderThan,
    newerThan,
    agentId,
    limit,
  ]);
  return inOrder(rows.map(moduleOf));
}

async function update(
  { userId, transaction, repeatable }: UserContext,
  id: string,
  change: SharedModuleChange,
): Promise<SharedModule | null> {
  const { revision, value, ...rest } = change;
  const settings = settingsOf(rest);
  const current = await repeatable((tx) => find(tx, userId, id));
  if (current === null) return null;
  const { label, access } = current;
  if (access !== "own" && Object.keys(settings).length > 0) throw new ModuleReadOnlyError(label);
  return transaction(async (tx) => {
    if (value !== undefined) {
      const changed = await tx.run(changeValue, [userId, id, revision, storableText(value)]);
      if (changed.length === 0)
        throw access === "read" ? new ModuleReadOnlyError(label) : new RevisionConflictError(label);
    }
    if (Object.keys(settings).length > 0) {
      const set = { ...settings, version: sql`${modules.version} + 1`, updatedAt: sql`now()` };
      await tx.tables
        .update(modules)
        .set(set)
        .where(and(eq(modules.userId, userId), eq(modules.id, id)));
    }
    return find(tx, userId, id);
  })
    .catch((error: unknown) => {
      throw isRefusedWrite(error) ? refusal(label, access, current.readOnly) : error;
    })
    .catch(throwTaken("An agent that holds the module has another one of this label. Choose another label."));
}

function refusal(label: string, access: ModuleAccess | "own", readOnly: boolean): Error {
  return access === "append" && !readOnly ? new ModuleAppendOnlyError(label) : new ModuleReadOnlyError(label);
}

/** Returns the values of columns for what is given. */
function settingsOf(given: Partial<Omit<SharedModuleDefinition, "value">>) {
  const { label, description, limit, readOnly, tags, metadata } = given;
  return {
    ...(label === undefined ? {} : { label: storableText(label) }),
    ...(description === undefined ? {} : { description: description === null ? null : storableText(description) }),
    ...(limit === undefined ? {} : { maxLength: limit }),
    ...(readOnly === undefined ? {} : { readOnly }),
    ...(tags === undefined ? {} : { tags: storableJson(tags) }),
    ...(metadata === undefined ? {} : { metadata: storableJson(metadata) }),
  };
}

function moduleOf(row: Row): SharedModule {
  return {
    id: row.id,
    ownerId: row.user_id,
    label: row.label,
    description: row.description,
    value: row.value,
    limit: row.max_length,
    readOnly: row.read_only,
    revision: row.revision,
    trust: row.trust,
    access: row.access,
    tags: JSON.parse(row.tags) as SharedModule["tags"],
    metadata: JSON.parse(row.metadata) as SharedModule["metadata"],
    createdAt: timeOf(row.created_at),
    updatedAt: timeOf(row.updated_at),
  };
}

function throwTaken(message: string) {
  return (error: unknown): never => {
    if (!isDuplicateKey(error)) throw error;
    throw new RequestError("module_exists", `${message} Nothing was changed.`, { cause: error });
  };
}

/** The error for a module that this user can not use. */
export function moduleUnknown(): RequestError {
  return new RequestError("module_unknown", "There is no such module for this user.");
}
