// Creates a running Host or Runtime from options. `src/runtime/compose/` is the only code that knows every implementation.
// Invariant: a Runtime is a host with one user. API keys and users' messages are sent only to servers that the operator
// has allowed, and users' requests reach no address in the operator's network.
import type { Config } from "../../config/settings.ts";
import { ConfigError, RequestError } from "../../base/errors.ts";
import type { ContinueTurnsOptions, Host, HostCounters } from "../host.ts";
import type { StoreMaintenance } from "../../store/port/store.ts";
import type { ModelOperations } from "../models/contract.ts";
import type { CloseOptions, Runtime, UserRuntime } from "../runtime.ts";
import type { Store } from "../../store/port/store.ts";
import { checkHostOptions, checkRuntimeOptions } from "./arguments/runtime-options.ts";
import { checkedHost, checkedRuntime } from "./arguments/runtime-arguments.ts";
import {
  closeHostDeps,
  type HostDeps,
  type OpenedParts,
  logFailures,
  openHostDeps,
  type RuntimeDeps,
  turnTimesOf,
} from "./host-deps.ts";
import { fullModelName } from "./create-models.ts";
import type { LimitsFor } from "./open-limits.ts";
import { operationsOf } from "./open-mcp-tools.ts";
import { createHostKeys } from "../keys/key-operations.ts";
import { createUserRuntime } from "./user-runtime.ts";
import { checkAgentSettings } from "../../config/agent-settings.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";

/** Options of `createRuntime`. All have defaults, except for the place of the data: `dataDir` or `databaseUrl`. */
export interface RuntimeOptions extends Partial<Config>, RuntimeDeps {
  /** The folder of the embedded store. Not required with `databaseUrl`. */
  readonly dataDir?: string;
}

export type { LimitsFor };

export type HostOptions = Omit<RuntimeOptions, "userId" | "userIsolation">;

/** Opens the store and returns a host for many users. Throws ConfigError, or StoreError if the store cannot be opened. */
export async function createHost(options: HostOptions): Promise<Host> {
  checkHostOptions(options);
  const deps = await openHostDeps(options, {});
  const { config, catalog } = deps;
  return hostOf(
    { ...deps, checkSettings: createUserSettingsCheck(config), catalog: allowedOf(config, catalog) },
    "host",
  );
}

/** Opens the store and returns the runtime of one user. Throws the same errors as `createHost`. */
export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  checkRuntimeOptions(options);
  return composeRuntime(options, {});
}

/** Returns the runtime of one user, using parts that the caller has opened. Throws the same errors as `createHost`. */
export async function composeRuntime(options: RuntimeOptions, opened: OpenedParts): Promise<Runtime> {
  const deps = await openHostDeps(options, opened);
  const { userId, userIsolation } = deps.config;
  if (userIsolation === "off") {
    deps.log(`Users are not isolated (userIsolation: off): every caller acts as user "${userId}" and sees all data.`);
  }
  const host = hostOf(deps, "runtime");
  const { mcp, listUsers, listUsage, backup, restore, optimize } = host;
  return { ...host.forUser(userId), mcp, listUsers, listUsage, backup, restore, optimize, close: host.close };
}

/** Returns the host. `name` is the host's name in error messages. */
function hostOf(deps: HostDeps, name: string): Host {
  const users = new Map<string, UserRuntime>();
  let closing: Promise<void> | null = null;
  const closed = new AbortController();
  const continuing = new Set<Promise<void>>();

  function forUser(userId: string): UserRuntime {
    if (closing !== null) throw new ConfigError("The host is closed: create another one.");
    const known = users.get(userId);
    if (known !== undefined) return known;
    const runtime = checkedRuntime(createUserRuntime(deps, userId));
    const closable: UserRuntime = {
      ...runtime,
      async close(options) {
        if (users.get(userId) === closable) users.delete(userId);
        await runtime.close(options);
      },
    };
    users.set(userId, closable);
    return closable;
  }

  async function close(options: CloseOptions | undefined): Promise<void> {
    closed.abort();
    try {
      await Promise.all([...users.values()].map((runtime) => runtime.close(options)));
      await Promise.all(continuing);
    } finally {
      await closeHostDeps(deps);
    }
  }

  function counters(): HostCounters {
    const { vectors, ...totals } = structuredClone(deps.totals);
    const running = [...deps.backFills].filter((fill) => fill.isRunning()).length;
    return { users: users.size, ...totals, connections: deps.store.connections(), backFill: { running, vectors } };
  }

  async function continueTurns({ signal }: ContinueTurnsOptions): Promise<void> {
    if (!deps.serving.isOn) deps.observers.push(logFailures(deps.log));
    deps.serving.isOn = true;
    const stopped = signal === undefined ? closed.signal : AbortSignal.any([signal, closed.signal]);
    const { continueTurns: run } = await import("../turns/continue-turns.ts");
    const work = run({ ...deps, times: turnTimesOf(deps.config), forUser }, stopped);
    continuing.add(work);
    await work.finally(() => continuing.delete(work));
  }

  const host: Host = {
    forUser,
    continueTurns: (options = {}) => continueTurns(options),
    async health(options = {}) {
      const { hostHealth } = await import("../operations/host-health.ts");
      const embedder = deps.embedders.default?.embedder ?? null;
      return hostHealth({ ...deps, embedder, backFill: counters().backFill, isClosing: closing !== null }, options);
    },
    counters,
    keys: createHostKeys(deps),
    mcp: operationsOf(deps.mcp),
    ...maintenanceOf(deps.store),
    close: (options) => (closing ??= close(options)),
  };
  return checkedHost(host, name);
}

function maintenanceOf(store: Store): StoreMaintenance {
  return {
    listUsers: () => store.listUsers(),
    listUsage: (since) => store.listUsage(since),
    backup: (file) => store.backup(file),
    restore: (file) => store.restore(file),
    optimize: (options) => store.optimize(options),
  };
}

function createUserSettingsCheck(config: HostDeps["config"]): OperationDeps["checkSettings"] {
  const { userModelServers, baseUrl: configured } = config;
  return (given, before, model) => {
    const checked = checkAgentSettings(given);
    const summarizer = checked.summarizer === before?.summarizer ? null : checked.summarizer;
    for (const name of [model, summarizer]) requireAllowed(config, name ?? config.model);
    const { baseUrl } = checked;
    const isAllowed = userModelServers === "any" || [null, configured, before?.baseUrl].includes(baseUrl);
    if (isAllowed) return checked;
    throw new RequestError(
      "input_invalid",
      '`baseUrl`: expected the server that this host is configured with, or none, got another server. The operator can allow other servers with userModelServers = "any".',
    );
  };
}

/** Returns the catalog without the models that users may not choose. */
function allowedOf(config: HostDeps["config"], catalog: ModelOperations): ModelOperations {
  return {
    ...catalog,
    async list() {
      const { models, ...listing } = await catalog.list();
      return { ...listing, models: models.filter(({ name }) => isModelAllowed(config, name)) };
    },
  };
}

/** Throws RequestError `input_invalid` for a model that users may not choose. */
function requireAllowed(config: HostDeps["config"], model: string): void {
  if (isModelAllowed(config, model)) return;
  const allowed = namesOfAllowed(config)
    .map((name) => `"${name}"`)
    .join(", ");
  throw new RequestError(
    "input_invalid",
    `Expected a model that users of this host may choose, ${allowed}, got "${model}". The operator can allow others with allowedModels.`,
  );
}

function isModelAllowed(config: HostDeps["config"], name: string): boolean {
  if (config.allowedModels === null) return true;
  const chosen = fullModelName(name);
  return namesOfAllowed(config).some((one) =>
    one.endsWith("*") ? chosen.startsWith(one.slice(0, -1)) : chosen === fullModelName(one),
  );
}

function namesOfAllowed({ allowedModels, model, summarizer }: HostDeps["config"]): readonly string[] {
  return [...new Set([model, summarizer ?? model, ...(allowedModels ?? [])])];
}
