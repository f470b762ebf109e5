// Opens the dependencies that all runtimes of a host share: the store, the embedders, the models and the settings.
// Invariant: each dependency is opened once and closed by `closeHostDeps`, except a store that the caller passed.
import { createTurnTotals, type ObserveTurn, type TurnTotals } from "../../agent/lease/running-turns.ts";
import { type Clock, systemClock } from "../../base/clock.ts";
import { createIds, type Ids } from "../../base/ids.ts";
import type { Log } from "../../base/log.ts";
import { createSharedCache, type SharedCache } from "../../base/shared-cache.ts";
import { configOf } from "../../config/config.ts";
import type { Embedder } from "../../model/embedding/embedder.ts";
import { ConfigError } from "../../base/errors.ts";
import type { Model } from "../../model/llm/model.ts";
import { createMemoryRegistry } from "../../memory/core/memory-registry.ts";
import type { MemoryClass } from "../../memory/core/base-memory.ts";
import type { PgPool } from "../../store/port/pg-pool.ts";
import type { Store } from "../../store/port/store.ts";
import type { EmbeddedServer } from "../../store/embedded/connect-or-serve.ts";
import type { BackFill } from "../../memory/vectors/back-fill.ts";
import type { KeptAgent, OperationDeps } from "../operations/operation-deps.ts";
import type { Reranker } from "../../model/reranking/reranker.ts";
import type { ModelOperations } from "../models/contract.ts";
import type { Sandbox } from "../../tool/sandbox.ts";
import type { ToolSelection } from "../../tool/tool.ts";
import { type McpTools, noMcpTools, openMcpTools, openToolServers, withMcpTools } from "./open-mcp-tools.ts";
import { checkAgentSettings } from "../../config/agent-settings.ts";
import { createModels, type Models } from "./create-models.ts";
import { createEphemeralStores, type EphemeralStores } from "./ephemeral-stores.ts";
import { createModelCatalog } from "./model-catalog.ts";
import { openModelProfiles } from "./profiled-model.ts";
import { openBuffer } from "./open-buffer.ts";
import type { LimiterFor, LimitsFor } from "./open-limits.ts";
import { openUntrusted, type UntrustedWork } from "./open-untrusted.ts";
import { openReranker } from "./open-reranker.ts";
import { openEmbedders } from "./open-embedders.ts";
import { connectionOf } from "./store-connection.ts";

export interface RuntimeDeps {
  /** The caller's pool of connections to a server, instead of `databaseUrl`. The host never closes it. */
  readonly pool?: PgPool;
  /** Subclasses of BaseMemory that agents can have. */
  readonly memoryClasses?: readonly MemoryClass[];
  /** How the tools of all agents differ from the defaults. */
  readonly tools?: ToolSelection;
  /** The caller's models. They take precedence over other models of the same name. */
  readonly models?: readonly Model[];
  /** Replaces the configured embedder; null: texts are not embedded, and all searches compare words only. */
  readonly embedder?: Embedder | null;
  /** Further embedders, which agents can use by name, and to which a re-embedding can switch. */
  readonly embedders?: readonly Embedder[];
  /** Orders the best hits of searches; replaces the configured reranker. Null: no reranker. */
  readonly reranker?: Reranker | null;
  /**
   * The limits of a user, instead of the configured ones. Called when a turn begins and before each further model call of the
   * turn, so it should be quick.
   */
  readonly limitsFor?: LimitsFor;
  readonly clock?: Clock;
  /**
   * Receives progress (`level` is `info`) and failures of background work, one line each. Also receives warnings about the
   * program, which otherwise become Node's warnings.
   */
  readonly log?: Log;
}

export type HostConfig = ReturnType<typeof configOf>;

export interface HostDeps
  extends Pick<
    OperationDeps,
    "embedders" | "reranker" | "buffer" | "checkSettings" | "registry" | "sandbox" | "toolServers"
  > {
  readonly config: HostConfig;
  readonly store: Store;
  readonly isStoreShared: boolean;
  readonly ephemeral: EphemeralStores;
  readonly models: Models;
  readonly catalog: ModelOperations;
  readonly untrusted: UntrustedWork;
  readonly toolSelection: ToolSelection;
  readonly mcp: McpTools;
  readonly totals: TurnTotals & { vectors: number };
  /** Whether `continueTurns` was called on this host. Only then may other hosts continue the host's unfinished turns. */
  readonly serving: { isOn: boolean };
  /** The running back-fills of missing vectors, one for each user with a runtime in use. */
  readonly backFills: Set<BackFill>;
  /** The agents that are kept open between turns. */
  readonly keptAgents: SharedCache<KeptAgent>;
  readonly observers: ObserveTurn[];
  /** Creates the limiter of a user; null if no user has limits. */
  readonly limiterFor: LimiterFor | null;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
  /** Receives warnings about probable mistakes of the program: `log` if it is given, otherwise Node's warnings. */
  readonly warn: (line: string) => void;
}

/** Logs turns that failed in a model call. A server needs this log, because its clients get the errors without addresses. */
export function logFailures(log: Log): ObserveTurn {
  return ({ conversationId }) => ({
    saw(event) {
      if (event.type !== "turn-end" || event.stopReason !== "model-error") return;
      log(`A turn of conversation ${conversationId} failed: ${event.error?.message ?? "the reason is unknown"}`);
    },
    left: () => undefined,
  });
}

export interface OpenedParts {
  /** The store. The caller closes it. */
  readonly store?: Store;
  readonly engine?: Promise<EmbeddedServer>;
}

/** Maximum estimated bytes of the agents that are kept open, for all users together and for one user. */
const keptBytes = { size: 64_000_000, maxOfOne: 8_000_000 };

/** Opens the dependencies of a host. Throws ConfigError and StoreError, with nothing left open. */
export async function openHostDeps(
  options: RuntimeDeps & Parameters<typeof configOf>[0],
  opened: OpenedParts,
): Promise<HostDeps> {
  const config = configOf({ engineHost: "worker", ...onlyModel(options), ...options });
  const { log = () => undefined, clock = systemClock } = options;
  const warn = options.log ?? ((line: string) => process.emitWarning(line, "PalimpsestWarning"));
  const ids = createIds();
  const further = options.embedders ?? [];
  const embedders = await openEmbedders(config, { own: options.embedder, further, clock, log });
  const reranker = openReranker(config, { own: options.reranker, clock, log });
  const buffer = await openBuffer(config, embedders);
  const profiles = await openModelProfiles(config.dataDir, log);
  const models = createModels(config, { own: options.models ?? [], profiles, clock, ids, log });
  const own = { models: options.models ?? [], embedders: further };
  const catalog = createModelCatalog(config, { models, own, embedders, clock, log });
  const observers = [...(await openObservers(config))];
  const limiterFor = await openLimiterFor(config, options);
  const registry = createMemoryRegistry(options.memoryClasses);
  const ownTools = await openTools(config, options.tools ?? {});
  const mcp = await openMcpTools(config, { clock, log });
  const sandbox = await openSandbox(config);
  // The store is opened last, so that no later failure leaves it open.
  const store = opened.store ?? (await openConfiguredStore(config, { ...options, ...opened }).catch(closing(sandbox)));
  return {
    config,
    store,
    isStoreShared: opened.store !== undefined,
    ephemeral: createEphemeralStores(),
    embedders,
    reranker,
    buffer,
    models,
    checkSettings: checkAgentSettings,
    catalog,
    registry,
    sandbox,
    untrusted: openUntrusted(),
    toolServers: openToolServers(config, { clock }),
    toolSelection: mcp === noMcpTools ? ownTools : withMcpTools(ownTools, mcp),
    mcp,
    totals: { ...createTurnTotals(), vectors: 0 },
    serving: { isOn: false },
    backFills: new Set(),
    keptAgents: createSharedCache(keptBytes),
    observers,
    limiterFor,
    ids,
    clock,
    log,
    warn,
  };
}

export async function closeHostDeps({
  embedders,
  reranker,
  models,
  mcp,
  sandbox,
  ephemeral,
  store,
  isStoreShared,
}: HostDeps): Promise<void> {
  await embedders.close();
  await reranker?.close();
  await models.close();
  await mcp.close();
  await sandbox?.close();
  await ephemeral.close();
  if (!isStoreShared) await store.close();
}

/** If `model` is not set, returns the caller's only model as the default. Throws ConfigError if there are several. */
function onlyModel({ model, models = [] }: Pick<RuntimeDeps, "models"> & { readonly model?: string | undefined }) {
  if (model !== undefined || models.length === 0) return {};
  const names = models.map(({ name }) => `"${name}"`).join(", ");
  if (models.length > 1) {
    const message = `Expected \`model\`, the default model of new agents, because \`models\` has several: ${names}; got none.`;
    throw new ConfigError(message, { field: "model" });
  }
  return { model: models[0]!.name };
}

async function openTools({ toolsFolder }: HostConfig, given: ToolSelection): Promise<ToolSelection> {
  if (toolsFolder === null) return given;
  const { withToolsOf } = await import("./load-tools.ts");
  return withToolsOf(toolsFolder, given);
}

/** Returns the sandbox; null if it is off. Throws ConfigError on a machine that cannot isolate processes. */
async function openSandbox({ sandbox }: HostConfig): Promise<Sandbox | null> {
  if (sandbox === "off") return null;
  const { openNamespaceSandbox } = await import("../../tool/sandbox/namespace-sandbox.ts");
  return openNamespaceSandbox();
}

function closing(sandbox: Sandbox | null) {
  return async (error: unknown): Promise<never> => {
    await sandbox?.close();
    throw error;
  };
}

async function openObservers({ telemetry }: HostConfig): Promise<readonly ObserveTurn[]> {
  if (telemetry === "off") return [];
  const { openTelemetry } = await import("./open-telemetry.ts");
  return [await openTelemetry(telemetry)];
}

async function openLimiterFor(config: HostConfig, { limitsFor }: RuntimeDeps): Promise<LimiterFor | null> {
  const { maxDailyTokens, maxDailyDollars, maxConcurrentTurns, userLimits } = config;
  const ofAll = [maxDailyTokens, maxDailyDollars, maxConcurrentTurns];
  const isLimited = ofAll.some((limit) => limit !== null) || Object.keys(userLimits).length > 0;
  if (!isLimited && limitsFor === undefined) return null;
  const { openLimits } = await import("./open-limits.ts");
  return openLimits(config, limitsFor);
}

async function openConfiguredStore(
  config: HostConfig,
  { pool, log, engine }: Pick<RuntimeDeps, "pool" | "log"> & OpenedParts,
): Promise<Store> {
  const connection = connectionOf(config, pool);
  const migration = config.migrationUrl === null ? {} : { migrationUrl: config.migrationUrl };
  const given = { ...(log === undefined ? {} : { log }), ...(engine === undefined ? {} : { engine }) };
  // The module is loaded only when a store is opened, because the driver and the schema take 100 ms to load.
  const { openStore } = await import("../../store/open-store.ts");
  return openStore({ connection, ...migration, ...given });
}

export function turnTimesOf(config: HostConfig): OperationDeps["turnTimes"] {
  return {
    leaseMs: config.leaseSeconds * 1000,
    waitMs: config.waitSeconds * 1000,
    keepEventsMs: config.keepEventsMinutes * 60_000,
  };
}
