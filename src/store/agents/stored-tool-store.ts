// Stores tools that users have added as data, and the agents that they are attached to.
// Invariant: names are unique per user, also for concurrent calls: the unique key decides.
import { and, eq } from "drizzle-orm";
import { storableText } from "../../base/code-points.ts";
import { RequestError } from "../../base/errors.ts";
import type { StoredTool, StoredToolStore } from "../port/stored-tool-store.ts";
import type { UserContext } from "../connection/database.ts";
import { isDuplicateKey } from "../connection/database-error.ts";
import type { Transaction } from "../connection/transaction.ts";
import { agentTools, storedTools } from "../schema.ts";
import { findTool, listTools, toolsOfAgent } from "../sql/stored-tools.ts";
import { keysetOf } from "../list-range.ts";
import { idsIn, isUuid, storableIds } from "../uuid.ts";
import { requireAgent } from "./agent-access.ts";
import { ensureUser } from "./known-user.ts";
import {
  attachedToolOfRow,
  type AttachedToolRow,
  columnsOf,
  storedToolOfRow,
  type StoredToolRow,
} from "./stored-tool-rows.ts";

export function createStoredToolStore(context: UserContext): StoredToolStore {
  const { userId, transaction, repeatable } = context;
  const own = (id: string) => and(eq(storedTools.userId, userId), eq(storedTools.id, id));
  return {
    create: (tool) =>
      transaction(async (tx) => {
        await ensureUser(tx, userId);
        await tx.tables.insert(storedTools).values({ ...rowOf(tool), userId });
      }).catch(throwNamed(tool.name)),
    upsert: (tool, change) =>
      transaction(async (tx) => {
        await ensureUser(tx, userId);
        const target = [storedTools.userId, storedTools.name];
        const row = { ...rowOf(tool), userId };
        await tx.tables
          .insert(storedTools)
          .values(row)
          .onConflictDoUpdate({ target, set: { ...columnsOf(change), updatedAt: tool.updatedAt } });
        return (await find(tx, userId, tool.name))!;
      }).catch(throwNamed(tool.name)),
    find: (nameOrId) => repeatable((tx) => find(tx, userId, nameOrId)),
    list: (request) =>
      repeatable(async (tx) => {
        const { name, tags, text, serverId = null, agentId = null, limit } = request;
        if ([serverId, agentId].some((id) => id !== null && !isUuid(id))) return [];
        const { newerThan, olderThan, direction, inOrder } = keysetOf(request);
        const rows = await tx.run<StoredToolRow>(listTools(direction), [
          userId,
          name === undefined ? null : storableText(name),
          tags === undefined || tags.length === 0 ? null : JSON.stringify(tags.map(storableText)),
          text === undefined ? null : storableText(text),
          olderThan,
          newerThan,
          serverId,
          agentId,
          limit,
        ]);
        return inOrder(rows.map(storedToolOfRow));
      }),
    update: (id, change) =>
      transaction(async (tx) => {
        if (!isUuid(id)) return null;
        await tx.tables.update(storedTools).set(columnsOf(change)).where(own(id));
        return find(tx, userId, id);
      }).catch(throwNamed(change.name ?? id)),
    delete: (id) =>
      transaction(
        async (tx) => isUuid(id) && (await tx.tables.delete(storedTools).where(own(id)).returning()).length > 0,
      ),
    ...attachments(context),
  };
}

type Attachments = Pick<StoredToolStore, "attach" | "detach" | "setApproval" | "ofAgent" | "ofAgents">;

function attachments({ userId, transaction, repeatable, statement }: UserContext): Attachments {
  const link = (agentId: string, toolId: string) =>
    and(eq(agentTools.userId, userId), eq(agentTools.agentId, agentId), eq(agentTools.toolId, toolId));
  return {
    attach: (agentId, toolId) =>
      transaction(async (tx) => {
        await requireAgent(tx, userId, agentId);
        if (!isUuid(toolId) || (await find(tx, userId, toolId)) === null) throw toolNotFound(toolId);
        const row = { userId, agentId, toolId };
        return (await tx.tables.insert(agentTools).values(row).onConflictDoNothing().returning()).length > 0;
      }),
    detach: (agentId, toolId) =>
      transaction(async (tx) => {
        if (!isUuid(agentId) || !isUuid(toolId)) return false;
        return (await tx.tables.delete(agentTools).where(link(agentId, toolId)).returning()).length > 0;
      }),
    setApproval: (agentId, toolId, requiresApproval) =>
      transaction(async (tx) => {
        if (!isUuid(agentId) || !isUuid(toolId)) return false;
        const changed = tx.tables.update(agentTools).set({ requiresApproval }).where(link(agentId, toolId));
        return (await changed.returning()).length > 0;
      }),
    ofAgent: (agentId) =>
      repeatable(async (tx) => {
        if (!isUuid(agentId)) return [];
        const rows = await tx.run<AttachedToolRow>(toolsOfAgent("$1", "$2::uuid"), [userId, agentId]);
        return rows.map(attachedToolOfRow);
      }),
    ofAgents: async (agentIds) => {
      const rows = await statement<AttachedToolRow>(toolsOfAgent("$1", idsIn("$2")), [userId, storableIds(agentIds)]);
      return rows.map((row) => ({ ...attachedToolOfRow(row), agentId: row.agent_id }));
    },
  };
}

function rowOf(tool: StoredTool) {
  const { id, createdAt, served: _none, ...change } = tool;
  return { id, createdAt, ...(columnsOf(change) as Required<ReturnType<typeof columnsOf>>) };
}

async function find(tx: Transaction, userId: string, nameOrId: string): Promise<StoredTool | null> {
  const id = isUuid(nameOrId) ? nameOrId : null;
  const [row] = await tx.run<StoredToolRow>(findTool, [userId, storableText(nameOrId), id]);
  return row === undefined ? null : storedToolOfRow(row);
}

function throwNamed(name: string) {
  return (error: unknown): never => {
    if (!isDuplicateKey(error)) throw error;
    const message = `Expected a new name and id for a stored tool, got "${name}", which the user has already. Choose another one, or change that tool: \`runtime.tools.upsert\`.`;
    throw new RequestError("tool_exists", message, { cause: error });
  };
}

function toolNotFound(id: string): RequestError {
  return new RequestError("tool_not_found", `There is no stored tool "${id}" for this user.`);
}
