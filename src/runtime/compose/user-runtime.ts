// Creates the runtime of one user from the host's dependencies: the store restricted to the user, and the operations.
// Invariant: creating a runtime opens nothing and takes microseconds; closing it leaves the host open.
import { archivalMemoryInsert } from "../../../tools/archival-memory-insert.ts";
import { archivalMemorySearch } from "../../../tools/archival-memory-search.ts";
import { rememberTool } from "../../memory/facts/remember-tool.ts";
import { conversationSearchDate } from "../../../tools/conversation-search-date.ts";
import { conversationSearch } from "../../../tools/conversation-search.ts";
import { grepFiles } from "../../../tools/grep-files.ts";
import { memoryInsert } from "../../../tools/memory-insert.ts";
import { memoryReplace } from "../../../tools/memory-replace.ts";
import { memoryRethink } from "../../../tools/memory-rethink.ts";
import { memoryTool } from "../../../tools/memory.ts";
import { openFiles } from "../../../tools/open-files.ts";
import { readSkill } from "../../../tools/read-skill.ts";
import { semanticSearchFiles } from "../../../tools/semantic-search-files.ts";
import { sendMessage } from "../../../tools/send-message.ts";
import { workingMemorySearch } from "../../../tools/working-memory-search.ts";
import { writeSkill } from "../../../tools/write-skill.ts";
import { createLiveTurns } from "../../agent/turn-journal.ts";
import { createRunningTurns } from "../../agent/lease/running-turns.ts";
import { configuredSettings } from "../../config/settings.ts";
import { createBackFills } from "../../memory/vectors/back-fills.ts";
import { createAgentMessageOperations } from "../agent-messages/agent-message-operations.ts";
import { createMessageDelivery } from "../agent-messages/message-delivery.ts";
import { createLettaMessageTools } from "../agent-messages/letta-message-tools.ts";
import { createMessageTools } from "../agent-messages/message-tools.ts";
import { createAgentOperations } from "../agents/agent-operations.ts";
import { createAgentMemories, reportEmbeddingFailure } from "../operations/agent-memories.ts";
import { createArchivalOperations } from "../archival/archival-operations.ts";
import { createBackgroundWork } from "../operations/background-work.ts";
import { createConsolidationOperations } from "../consolidation/consolidation-operations.ts";
import { createConversationOperations } from "../conversations/conversation-operations.ts";
import { deleteObjects } from "../operations/delete-objects.ts";
import { createEmbeddingOperations } from "../embeddings/embedding-operations.ts";
import { createKeyOperations } from "../keys/key-operations.ts";
import { createMemoryFileOperations } from "../memory-files/memory-file-operations.ts";
import { createSkillOperations } from "../skills/skill-operations.ts";
import { createMemoryOperations } from "../memory/memory-operations.ts";
import { priceOf } from "../models/model-price.ts";
import { createNodeMemoryOperations } from "../node-memory/node-memory-operations.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";
import { planContext } from "../operations/plan-context.ts";
import { createDeferredForgettings } from "../forgetting/deferred-forgettings.ts";
import { createForgetOperations, forgetDeferred } from "../forgetting/forget-operations.ts";
import { createForgetTool } from "../forgetting/forget-tool.ts";
import { createRetentionOperations } from "../retention/retention-operations.ts";
import { createRecallOperations } from "../recall/recall-operations.ts";
import { createSourceOperations } from "../sources/source-operations.ts";
import { loadStarters } from "../operations/starters.ts";
import { createModuleOperations } from "../modules/module-operations.ts";
import { createRecordOperations } from "../operations/record-operations.ts";
import { createMcpServerOperations } from "../mcp-servers/mcp-server-operations.ts";
import { createStoredToolOperations } from "../stored-tools/stored-tool-operations.ts";
import { createSynopsisOperations } from "../synopsis/synopsis-operations.ts";
import { createApprovalOperations, createTurnOperations } from "../turns/turn-operations.ts";
import type { Store } from "../../store/port/store.ts";
import type { AgentOperations } from "../agents/contract.ts";
import type { ImportOperations } from "../imports/contract.ts";
import type { UserRuntime } from "../runtime.ts";
import type { ScheduleOperations } from "../schedules/contract.ts";
import { shareOf } from "../../tool/sandbox/sandbox-limits.ts";
import { createTokenCounter } from "../../model/tokens/create-token-counter.ts";
import { type HostConfig, type HostDeps, turnTimesOf } from "./host-deps.ts";
import { modelInputsOf } from "./model-inputs.ts";
import { createMessageBuffer } from "./open-buffer.ts";
import { openObjects } from "./open-objects.ts";

/** Milliseconds that `close` waits for running turns: half of what container managers usually grant. */
const defaultGraceMs = 5000;

/** Creates the runtime of a user. Throws RequestError `input_invalid` for an invalid user id. */
export function createUserRuntime(host: HostDeps, userId: string): UserRuntime {
  const deps = depsOf(host, userId);
  host.backFills.add(deps.backFill);
  // Deletes objects that remain from an interrupted deletion, or from a deletion by another user.
  if (deps.files.objects.place !== "database") deps.background.run("Deleting objects", () => deleteObjects(deps));
  return {
    ...operationsOf(deps, host.store, { ...host.config, userId }),
    models: host.catalog,
    async idle() {
      await deps.memories.idle();
      await deps.backFill.idle();
      await deps.background.idle();
    },
    async close({ graceMs = defaultGraceMs } = {}) {
      await deps.turns.close(graceMs);
      host.keptAgents.drop(userId);
      await deps.memories.close();
      await deps.backFill.stop();
      host.backFills.delete(deps.backFill);
      await deps.background.close();
    },
  };
}

function depsOf(host: HostDeps, userId: string): OperationDeps {
  const { config, embedders, reranker, buffer, models, registry, toolSelection, ids, clock, log, warn } = host;
  const store = host.store.as(userId);
  const onFailure = (error: unknown): void => reportEmbeddingFailure(log, error);
  const onVectors = (made: number): void => void (host.totals.vectors += made);
  const backFill = createBackFills({ embedders, store, clock, onVectors, onFailure });
  const memories = createAgentMemories({ store, embedders, reranker, backFill, retrieval: config, clock, log });
  const defaults = defaultsOf(config);
  const files = filesOf(host, store);
  const forgetDeps = { store, defaults, embedders, reranker, memories, backFill, files, ids, clock, log };
  const deferred = createDeferredForgettings({ store, ids }, () => forgetDeferred(forgetDeps));
  const messages = createMessageDelivery(() => deps);
  const messageDeps = { store, messages, ids, turnTimes: turnTimesOf(config) };
  const deps: OperationDeps = {
    store,
    openEphemeralStore: () => host.ephemeral.as(userId),
    registry,
    defaults,
    maximum: { agents: config.maxUserAgents, files: config.maxUserFiles },
    checkSettings: host.checkSettings,
    models: {
      ...models,
      priceOf: (model) => priceOf(model, config.prices),
      counterFor: (model, baseUrl) => createTokenCounter(model, modelInputsOf({ ...config, baseUrl }, model)),
    },
    tools: {
      common: [...commonTools(config), createForgetTool(createForgetOperations(forgetDeps), deferred)],
      sendMessage,
      remember: rememberTool,
      readSkill,
      workingSearch: workingMemorySearch,
      ofFiles: [openFiles, grepFiles, semanticSearchFiles],
      optional: { ...optionalTools, ...createMessageTools(messageDeps), ...createLettaMessageTools(messageDeps) },
      selection: toolSelection,
      connect: host.mcp.connect,
    },
    sandbox: host.sandbox === null ? null : shareOf(host.sandbox),
    toolServers: host.toolServers,
    embedders,
    reranker,
    backFill,
    memories,
    keptAgents: keptAgentsOf(host, userId),
    deferred,
    messages,
    retrieval: config,
    buffer,
    files,
    turnTimes: messageDeps.turnTimes,
    background: createBackgroundWork({ log, clock }),
    turns: runningTurnsOf(host, store),
    live: createLiveTurns(),
    serving: host.serving,
    ids,
    clock,
    log,
    warn,
  };
  return deps;
}

function runningTurnsOf({ limiterFor, clock, ephemeral, totals, observers }: HostDeps, store: OperationDeps["store"]) {
  const limiter = limiterFor?.(store.userId, { clock, usageSince: ephemeral.usageWith(store) }) ?? null;
  return createRunningTurns({ limiter, totals, observers });
}

function keptAgentsOf({ keptAgents }: HostDeps, userId: string): OperationDeps["keptAgents"] {
  return {
    take: (conversationId) => keptAgents.take(userId, conversationId),
    put: (conversationId, kept, bytes) => keptAgents.put(userId, conversationId, kept, bytes),
  };
}

function filesOf({ config, untrusted }: HostDeps, store: OperationDeps["store"]): OperationDeps["files"] {
  return {
    read: fileReader(config),
    find: untrusted.find,
    matchLines: untrusted.matchLines,
    objects: openObjects(config, store),
  };
}

function commonTools({ archivalMemory }: HostConfig): OperationDeps["tools"]["common"] {
  const archival = archivalMemory === "on" ? [archivalMemoryInsert, archivalMemorySearch] : [];
  return [conversationSearch, conversationSearchDate, ...archival];
}

function defaultsOf(config: HostConfig): OperationDeps["defaults"] {
  const { model, protocol } = config;
  return {
    model,
    protocol,
    settings: { ...configuredSettings(config), removedTools: [], addedTools: [], toolRules: [] },
  };
}

const optionalTools = {
  memory_insert: memoryInsert,
  memory_replace: memoryReplace,
  memory_rethink: memoryRethink,
  memory: memoryTool,
  write_skill: writeSkill,
};

const megabyte = 1_000_000;

/** Returns a reader of files. It loads the libraries that detect a file's type when it reads the first file. */
function fileReader(config: HostConfig): OperationDeps["files"]["read"] {
  const limits = {
    fileBytes: Math.floor(config.maxFileMegabytes * megabyte),
    messageBytes: Math.floor(config.maxMessageMegabytes * megabyte),
  };
  return async (inputs) => (await import("../../memory/files/read-files.ts")).readFiles(inputs, limits);
}

function operationsOf(
  deps: OperationDeps,
  store: Store,
  config: HostConfig,
): Omit<UserRuntime, "idle" | "close" | "models"> {
  return {
    userId: config.userId,
    defaultModel: config.model,
    ...createRecordOperations(deps),
    agents: agentOperations(deps),
    conversations: createConversationOperations(deps),
    user: {
      usage: () => deps.store.usage.count(),
      delete: async () => {
        await deps.store.usage.delete();
        deps.memories.empty();
        await deleteObjects(deps);
      },
    },
    memory: createMemoryOperations(deps),
    memoryFiles: createMemoryFileOperations(deps),
    skills: createSkillOperations(deps),
    approvals: createApprovalOperations(deps),
    retention: createRetentionOperations(deps),
    forget: createForgetOperations(deps),
    synopsis: createSynopsisOperations(deps),
    agentMessages: createAgentMessageOperations(deps),
    consolidation: createConsolidationOperations(deps),
    schedules: loadedSchedules(deps),
    tools: createStoredToolOperations(deps),
    mcpServers: createMcpServerOperations(deps),
    turns: createTurnOperations(deps),
    keys: createKeyOperations({ ...deps, verifyKey: store.verifyKey }),
    modules: createModuleOperations(deps),
    recall: createRecallOperations(deps),
    createMessageBuffer: (own = {}, json) => {
      const { buffer, clock, models } = deps;
      const model = () => models.resolve(config.summarizer ?? config.model, config.baseUrl);
      const countFor = (name: string) => models.counterFor(name, config.baseUrl).count;
      return createMessageBuffer({ config, buffer, model, countFor, clock }, own, json);
    },
    getContext: (name, query, options = {}) => planContext(deps, name, { ...options, query }),
    archival: createArchivalOperations(deps),
    imports: loadedImports(deps),
    sources: createSourceOperations(deps),
    embeddings: createEmbeddingOperations(deps),
    nodeMemory: createNodeMemoryOperations(deps),
    files: { describe: async (file) => (await deps.files.read([file]))[0]!.facts },
    starters: { personas: () => loadStarters("persona"), humans: () => loadStarters("human") },
  };
}

/** Returns the operations on agents. The code of exports and imports is loaded when it is first used. */
function agentOperations(deps: OperationDeps): AgentOperations {
  return {
    ...createAgentOperations(deps),
    export: async (name) => (await import("../agents/transfer/export-agent-file.ts")).exportAgentFile(deps, name),
    import: async (file, options) =>
      (await import("../agents/transfer/import-agent-file.ts")).importAgentFile(deps, file, options),
    importLetta: async (databaseUrl, options) => {
      const { readLettaDatabase } = await import("../../transfer/letta-database/read-letta-database.ts");
      const { importLettaDatabase } = await import("../agents/transfer/import-letta-database.ts");
      return importLettaDatabase(deps, (use) => readLettaDatabase(databaseUrl, use), options);
    },
  };
}

/** Returns the operations on schedules. Their code and the parser of schedule expressions are loaded when first used. */
function loadedSchedules(deps: OperationDeps): ScheduleOperations {
  const load = async () => (await import("../schedules/schedule-operations.ts")).createScheduleOperations(deps);
  return {
    create: async (agent, schedule) => (await load()).create(agent, schedule),
    list: async (agent) => (await load()).list(agent),
    update: async (id, change) => (await load()).update(id, change),
    delete: async (id) => (await load()).delete(id),
    runs: async (id, limit) => (await load()).runs(id, limit),
    lastPolledAt: async () => (await load()).lastPolledAt(),
    fire: async (options) => (await load()).fire(options),
    run: async (options) => (await load()).run(options),
  };
}

/** Returns the operations that import other programs' exports. The readers are loaded for the first import. */
function loadedImports(deps: OperationDeps): ImportOperations {
  return {
    run: async (agent, source, options) => {
      const { importExport } = await import("../imports/import-export.ts");
      const { readImportFile } = await import("../../transfer/files/read-import-file.ts");
      const { readMemoryFolder } = await import("../../transfer/files/read-memory-folder.ts");
      const readItems = options.form === "folder" ? readMemoryFolder : readImportFile;
      return importExport({ ...deps, readItems }, agent, { ...options, source });
    },
  };
}
