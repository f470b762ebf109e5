// From options to a running Runtime: the only file that knows every implementation.
// Invariant: nothing is constructed anywhere else, and nothing is loaded before it is needed.
import { archivalMemoryInsert } from "../tools/archival-memory-insert.ts";
import { archivalMemorySearch } from "../tools/archival-memory-search.ts";
import { conversationSearchDate } from "../tools/conversation-search-date.ts";
import { conversationSearch } from "../tools/conversation-search.ts";
import { sendMessage } from "../tools/send-message.ts";
import { workingMemorySearch } from "../tools/working-memory-search.ts";
import { type Clock, systemClock } from "./base/clock.ts";
import { createIds } from "./base/ids.ts";
import { configOf } from "./config.ts";
import { checkAgentSettings } from "./config/agent-settings.ts";
import { type Config, configuredSettings } from "./config/settings.ts";
import type { Embedder } from "./embedding/embedder.ts";
import type { Model } from "./llm/model.ts";
import { createBackFills } from "./memory/vectors/back-fills.ts";
import type { MemoryClass } from "./memory/core/base-memory.ts";
import { createMemoryRegistry } from "./memory/core/memory-registry.ts";
import type { Store } from "./memory/store.ts";
import { createApprovalOperations } from "./operations/approval-operations.ts";
import { createArchivalOperations } from "./operations/archival-operations.ts";
import { deleteObjects } from "./operations/delete-objects.ts";
import { createConversationOperations } from "./operations/conversation-operations.ts";
import { createAgentRecord } from "./operations/create-agent-record.ts";
import { createEmbeddingOperations } from "./operations/embedding-operations.ts";
import { createMemoryOperations } from "./operations/memory-operations.ts";
import { createNodeMemoryOperations } from "./operations/node-memory/node-memory-operations.ts";
import { openAgent } from "./operations/opening/open-agent.ts";
import { openEphemeral } from "./operations/opening/open-ephemeral.ts";
import { findAgent, findReadable } from "./operations/find-agent.ts";
import { createAgentMemories, reportEmbeddingFailure } from "./operations/agent-memories.ts";
import { createBackgroundWork } from "./operations/background-work.ts";
import type { OperationDeps } from "./operations/operation-deps.ts";
import { priceOf } from "./operations/model-price.ts";
import { planContext } from "./operations/plan-context.ts";
import { createRetentionOperations } from "./operations/retention-operations.ts";
import { createSynopsisOperations } from "./operations/synopsis-operations.ts";
import { createSharingOperations } from "./operations/sharing-operations.ts";
import { setSystemPrompt } from "./operations/set-system-prompt.ts";
import { updateAgentSettings } from "./operations/update-agent-settings.ts";
import { createRecallOperations } from "./operations/search-operations.ts";
import { createSourceOperations } from "./operations/source-operations.ts";
import { loadStarters } from "./operations/starters.ts";
import type { Runtime } from "./runtime/runtime.ts";
import type { AgentOperations } from "./runtime/agents.ts";
import { modelInputsOf } from "./compose/model-inputs.ts";
import { createMessageBuffer, openBuffer } from "./compose/open-buffer.ts";
import { openEmbedders } from "./compose/open-embedders.ts";
import { createModels, type Models } from "./compose/create-models.ts";
import { openObjects } from "./compose/open-objects.ts";
import { connectionOf } from "./compose/store-connection.ts";
import { createTokenCounter } from "./tokens/create-token-counter.ts";
import type { ToolSelection } from "./tool/select-tools.ts";

/** Everything may be left out but the place of the data. */
export interface RuntimeOptions extends Partial<Config> {
  /** The folder of the embedded store; or give `databaseUrl`. */
  readonly dataDir?: string;
  /** Subclasses of BaseMemory that agents may have. */
  readonly memoryClasses?: readonly MemoryClass[];
  /** How the tools of all agents differ from the defaults. */
  readonly tools?: ToolSelection;
  /** Models of your own, found by their name before any other. */
  readonly models?: readonly Model[];
  /** In place of the configured one; null: no vectors are made, and all is searched by words alone. */
  readonly embedder?: Embedder | null;
  /** Further embedders of your own, by name: for agents that are searched by one of these, and to re-embed to. */
  readonly embedders?: readonly Embedder[];
  readonly clock?: Clock;
  /** Told of progress and of failures behind the scenes, a line each. */
  readonly log?: (line: string) => void;
}

/** Opens the store and makes a Runtime for one user. Throws ConfigError, or StoreError when the store cannot be opened. */
export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  return composeRuntime(options, {});
}

/** What runtimes of several users can share. It outlives each of them. */
export interface SharedDeps {
  /** An open store, instead of the one that `dataDir` or `databaseUrl` names. */
  readonly store?: Store;
}

/** Makes a Runtime for one user over what is shared, and opens the rest. Throws as `createRuntime`. */
export async function composeRuntime(options: RuntimeOptions, shared: SharedDeps): Promise<Runtime> {
  const config = configOf({ engineHost: "worker", ...options });
  const { log = () => undefined, clock = systemClock } = options;
  const ids = createIds();
  // Before the store: it has nothing open yet that a failure of the other would leave behind.
  const further = options.embedders ?? [];
  const embedders = await openEmbedders(config, { own: options.embedder, further, clock, log });
  const buffer = await openBuffer(config, embedders);
  const store = shared.store ?? (await openConfiguredStore(config, log));
  const userStore = store.as(config.userId);
  const models = createModels(config, { own: options.models ?? [], clock, ids, log });
  const onFailure = (error: unknown): void => reportEmbeddingFailure(log, error);
  const backFill = createBackFills({ embedders, store: userStore, clock, onFailure });
  const deps: OperationDeps = {
    store: userStore,
    registry: createMemoryRegistry(options.memoryClasses),
    embedders,
    defaults: defaultsOf(config),
    tools: {
      common: commonTools(config),
      sendMessage,
      workingSearch: workingMemorySearch,
      selection: options.tools ?? {},
    },
    checkSettings: checkAgentSettings,
    models: {
      ...models,
      priceOf: (model) => priceOf(model, config.prices),
      counterFor: (model, baseUrl) => createTokenCounter(model, modelInputsOf({ ...config, baseUrl }, model)),
    },
    files: {
      read: fileReader(config),
      load: async (load) => (await import("./sources/load-files.ts")).loadFiles(load),
      objects: openObjects(config, userStore),
    },
    leases: { leaseMs: config.leaseSeconds * 1000, waitMs: config.waitSeconds * 1000 },
    ids,
    clock,
    log,
    backFill,
    memories: createAgentMemories({ store: userStore, embedders, backFill, retrieval: config, clock, log }),
    retrieval: config,
    buffer,
    background: createBackgroundWork(log),
  };
  begin(deps, config);
  return {
    ...operationsOf(deps, config),
    backup: (file) => store.backup(file),
    restore: (file) => store.restore(file),
    optimize: (demands) => store.optimize(demands),
    async idle() {
      await deps.memories.idle();
      await backFill.idle();
      await deps.background.idle();
    },
    close: () => closeRuntime(deps, { models, store: shared.store === undefined ? store : null }),
  };
}

/** What is told and done once, before anybody asks for anything. */
function begin(deps: OperationDeps, { userIsolation, userId }: ComposedConfig): void {
  if (userIsolation === "off") {
    deps.log(
      `Users are not kept apart (userIsolation: off): everyone is "${userId}", and sees what everyone else has said.`,
    );
  }
  // What another user's deletion, retention or a broken-off one has left.
  if (deps.files.objects.place !== "database") deps.background.run("Deleting objects", () => deleteObjects(deps));
}

function commonTools({ archivalMemory }: ComposedConfig): OperationDeps["tools"]["common"] {
  const archival = archivalMemory === "on" ? [archivalMemoryInsert, archivalMemorySearch] : [];
  return [conversationSearch, conversationSearchDate, ...archival];
}

/** Waits for what goes on beside turns, deletes what is not to last, and closes what was opened; `store` unless it is the caller's. */
async function closeRuntime(
  deps: OperationDeps,
  { models, store }: { readonly models: Models; readonly store: Store | null },
): Promise<void> {
  await deps.memories.close();
  await deps.backFill.stop();
  try {
    await deps.background.close();
  } finally {
    await deps.embedders.close();
    await models.close();
    await store?.close();
  }
}

const megabyte = 1_000_000;

/** The libraries that tell what a file is are loaded with the first one. */
function fileReader(config: ComposedConfig): OperationDeps["files"]["read"] {
  const limits = {
    fileBytes: Math.floor(config.maxFileMegabytes * megabyte),
    messageBytes: Math.floor(config.maxMessageMegabytes * megabyte),
  };
  return async (inputs) => (await import("./files/read-files.ts")).readFiles(inputs, limits);
}

async function openConfiguredStore(config: ComposedConfig, log: (line: string) => void): Promise<Store> {
  const connection = connectionOf(config);
  const migration = config.migrationUrl === null ? {} : { migrationUrl: config.migrationUrl };
  // The driver and the schema take 100 ms to load: not before they are needed.
  const { openStore } = await import("./store/open-store.ts");
  return openStore({ connection, ...migration, log });
}

/** What a runtime can be asked, but for what concerns the whole store. */
function operationsOf(
  deps: OperationDeps,
  config: ComposedConfig,
): Omit<Runtime, "backup" | "restore" | "optimize" | "idle" | "close"> {
  return {
    userId: config.userId,
    defaultModel: config.model,
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
    approvals: createApprovalOperations(deps),
    retention: createRetentionOperations(deps),
    synopsis: createSynopsisOperations(deps),
    recall: createRecallOperations(deps),
    createMessageBuffer: (own = {}, json) => {
      const { buffer, clock, models } = deps;
      const model = () => models.resolve(config.summarizer ?? config.model, config.baseUrl);
      const countFor = (name: string) => models.counterFor(name, config.baseUrl).count;
      return createMessageBuffer({ config, buffer, model, countFor, clock }, own, json);
    },
    getContext: (name, query, options = {}) => planContext(deps, name, { ...options, query }),
    archival: createArchivalOperations(deps),
    sources: createSourceOperations(deps),
    embeddings: createEmbeddingOperations(deps),
    nodeMemory: createNodeMemoryOperations(deps),
    files: { describe: async (file) => (await deps.files.read([file]))[0]!.facts },
    starters: { personas: () => loadStarters("persona"), humans: () => loadStarters("human") },
  };
}

function agentOperations(deps: OperationDeps): AgentOperations {
  const { agents } = deps.store;
  return {
    list: () => agents.list(),
    find: (name) => findAgent(deps, name),
    create: (options) => createAgentRecord(deps, options),
    update: (name, settings) => updateAgentSettings(deps, name, settings),
    setSystemPrompt: (name, text) => setSystemPrompt(deps, name, text),
    open: (name, options = {}) =>
      options.ephemeral === true ? openEphemeral(deps, name, options) : openAgent(deps, name, options),
    delete: async (name) => {
      const { id } = await findReadable(deps, name);
      await agents.delete(id);
      deps.memories.empty(id);
      await deleteObjects(deps);
    },
    ...createSharingOperations(deps),
  };
}

type ComposedConfig = ReturnType<typeof configOf>;

function defaultsOf(config: ComposedConfig): OperationDeps["defaults"] {
  const { model, protocol } = config;
  return { model, protocol, settings: { ...configuredSettings(config), removedTools: [] } };
}
