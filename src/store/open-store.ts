// Opens the store: one database, and for each user a view restricted to that user.
// Invariant: a Store gives access to users' content only through `as`, backup and restore.
import type { Store, StoredUser, UserStore } from "./port/store.ts";
import { createAgentStore } from "./agents/agent-store.ts";
import { createKeyLookup, createKeyStore } from "./agents/key-store.ts";
import { createAttachmentStore } from "./conversations/attachment-store.ts";
import { createApprovalStore } from "./turns/approval-store.ts";
import { restoreBackup } from "./backup/backup-restore.ts";
import { writeBackup } from "./backup/backup.ts";
import { createCompactionStore } from "./conversations/compaction-store.ts";
import { createConversationStore } from "./conversations/conversation-store.ts";
import { createOpeningStore } from "./conversations/opening-store.ts";
import { createUserContext, type Database, type DatabaseOptions, openDatabase } from "./connection/database.ts";
import { createEmbedderStore } from "./vectors/embedder-store.ts";
import { createForgettingStore } from "./forgetting/forgetting-store.ts";
import { createUsageStore } from "./agents/usage-store.ts";
import { migrateDatabase } from "./connection/migrate.ts";
import { createInputStore } from "./turns/input-store.ts";
import { createTurnEventStore } from "./turns/turn-event-store.ts";
import { createLeaseStore } from "./turns/lease-store.ts";
import { createNodeMemoryStore } from "./agents/node-memory-store.ts";
import { createObjectRows } from "./objects/object-rows.ts";
import { createModuleStore } from "./agents/module-store.ts";
import { createPassageStore } from "./archive/passage-store.ts";
import { createRecallStore } from "./search/recall-store.ts";
import { createRetentionStore } from "./conversations/retention-store.ts";
import { nobody, requireIsolation } from "./connection/runtime-role.ts";
import { createScheduleStore } from "./turns/schedule-store.ts";
import { createAttachedFileStore } from "./archive/attached-file-store.ts";
import { createSourceFileStore } from "./archive/source-file-store.ts";
import { createSourceStore } from "./archive/source-store.ts";
import { createSharedModuleStore } from "./agents/shared-module-store.ts";
import { createRecordStores } from "./record-stores.ts";
import { createMcpServerStore } from "./agents/mcp-server-store.ts";
import { createStoredToolStore } from "./agents/stored-tool-store.ts";
import { createStepStore, usageOfUsers } from "./turns/step-store.ts";
import { createAgentMessageStore } from "./turns/agent-message-store.ts";
import { createConsolidationStore } from "./archive/consolidation-store.ts";
import { createSynopsisStore } from "./archive/synopsis-store.ts";
import { createUnfinishedTurnStore, usersWithUnfinishedTurns } from "./turns/unfinished-turn-store.ts";
import { createTurnRecordStore } from "./turns/turn-record-store.ts";
import { createTurnStore } from "./turns/turn-store.ts";
import { createTransferStore } from "./transfer/transfer-store.ts";
import { requireUserId } from "./connection/user-id.ts";

/** Options for opening a store. `log` is called with one line before each long operation. */
export interface StoreOptions extends DatabaseOptions {
  /** For a server: the URL of a role that may migrate, if the role of `connection` may not. */
  readonly migrationUrl?: string;
}

/** Opens the store and migrates its schema. Throws StoreError or ConfigError, with nothing left open. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { migrationUrl, ...opened } = options;
  const { connection } = opened;
  // A malformed URL is reported before any connection attempt.
  const database = await openDatabase(opened);
  try {
    if (connection.kind !== "embedded") {
      await migrateAs(migrationUrl, database);
      await requireIsolation(database);
    }
  } catch (error) {
    await database.close();
    throw error;
  }
  return {
    as: (userId) => createUserStore(database, requireUserId(userId)),
    verifyKey: createKeyLookup(database),
    usersWithUnfinishedTurns: (andHeld) => usersWithUnfinishedTurns(database, andHeld),
    listUsers: () => database.ownerTransaction((tx) => tx.run<StoredUser>(usersWithData, [])),
    listUsage: (since) => database.ownerTransaction((tx) => usageOfUsers(tx, since)),
    backup: (file) => writeBackup(database, file),
    restore: (file) => restoreBackup(database, file),
    optimize: async (demands) => {
      const { optimizeDatabase } = await import("./upkeep/optimize-database.ts");
      return optimizeDatabase({ connection, ...(migrationUrl === undefined ? {} : { migrationUrl }) }, demands);
    },
    ping: async () => {
      await database.transaction(nobody, (tx) => tx.runLast("select 1", []), { isRepeatable: true });
    },
    connections: () => database.connections(),
    close: () => database.close(),
  };
}

/** Lists the users that have data, ordered by id. */
const usersWithData = `
select u.user_id as "userId", u.created_at as "createdAt",
  (select count(*)::int from agents a where a.user_id = u.user_id) as agents,
  (select max(c.updated_at) from conversations c where c.user_id = u.user_id and c.leaf_id is not null) as "lastMessageAt"
from users u order by u.user_id`;

/** Migrates as the role of `migrationUrl`; without this URL, as the role of the store's connection. */
async function migrateAs(migrationUrl: string | undefined, database: Database): Promise<void> {
  if (migrationUrl === undefined) {
    await migrateDatabase(database);
    return;
  }
  const owner = await openDatabase({ connection: { kind: "server", url: migrationUrl } });
  try {
    await migrateDatabase(owner);
  } finally {
    await owner.close();
  }
}

export function createUserStore(database: Database, userId: string): UserStore {
  const context = createUserContext(database, userId);
  return {
    userId,
    ...createRecordStores(context),
    agents: createAgentStore(context),
    modules: createModuleStore(context),
    conversations: createConversationStore(context),
    openings: createOpeningStore(context),
    compactions: createCompactionStore(context),
    leases: createLeaseStore(context),
    events: createTurnEventStore(context),
    inputs: createInputStore(context),
    turns: createTurnStore(context),
    turnRecords: createTurnRecordStore(context),
    unfinishedTurns: createUnfinishedTurnStore(context),
    steps: createStepStore(context),
    approvals: createApprovalStore(context),
    attachments: createAttachmentStore(context),
    objects: createObjectRows(context),
    embedders: createEmbedderStore(context),
    nodeMemories: createNodeMemoryStore(context),
    recall: createRecallStore(context),
    passages: createPassageStore(context),
    sources: createSourceStore(context),
    sourceFiles: createSourceFileStore(context),
    attachedFiles: createAttachedFileStore(context),
    usage: createUsageStore(context),
    retention: createRetentionStore(context),
    forgetting: createForgettingStore(context),
    agentMessages: createAgentMessageStore(context),
    consolidations: createConsolidationStore(context),
    synopses: createSynopsisStore(context),
    schedules: createScheduleStore(context),
    sharedModules: createSharedModuleStore(context),
    tools: createStoredToolStore(context),
    mcpServers: createMcpServerStore(context),
    keys: createKeyStore(context),
    transfers: createTransferStore(context),
  };
}
