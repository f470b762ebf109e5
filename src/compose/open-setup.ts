// From a configuration to what tells whether a model that somebody chooses can be used here, and keeps it.
// Invariant: a choice is tried as it would be used, over the configuration that holds.
import { systemClock } from "../base/clock.ts";
import { createIds } from "../base/ids.ts";
import type { SavedChanges, SettingChanges } from "../config/setting-changes.ts";
import type { Config } from "../config/settings.ts";
import { type KeyConfig, keySettingOf } from "../config/settings/key-settings.ts";
import { ConfigError, ModelTimeoutError } from "../errors.ts";
import { describeProvider } from "../llm/failure/provider.ts";
import { findServers, usualPorts } from "../llm/servers/find-servers.ts";
import { providerOf, providers } from "../llm/providers.ts";
import { listModels, type ModelServer } from "../llm/servers/list-models.ts";
import { callOnce } from "../operations/doctor/call-once.ts";
import type { ModelChoice, ModelLocation, Setup } from "../runtime/setup.ts";
import { changesOf, notesOf } from "./choice-changes.ts";
import { createModels } from "./create-models.ts";
import { keyOf } from "./provider-keys.ts";

export interface SetupDeps {
  readonly config: Config;
  readonly log: (line: string) => void;
  /** Throws ConfigError when it cannot be written. */
  readonly write: (changes: SettingChanges) => Promise<SavedChanges>;
  /** A variable of the environment; undefined, or empty, when it is not set. */
  readonly environment: (variable: string) => string | undefined;
}

/** Milliseconds. A server that has to load a model first may take a minute for its first word. */
const waits = { probe: 300, list: 10_000, call: 90_000 } as const;

export function openSetup(deps: SetupDeps): Setup {
  const { config, write, environment } = deps;
  return {
    findServers: (signal) => findServers(usualPorts, { timeoutMs: waits.probe, signal }),
    listModels: (place, signal) => listModels(serverAt(place, config), { timeoutMs: waits.list, signal }),
    test: (choice, signal) => test(choice, deps, signal),
    async save(choice) {
      const saved = await write(changesOf(choice));
      const { file, secretsFile } = saved;
      return { file, secretsFile, notes: notesOf(choice, { saved, environment, embedding: config.embedding }) };
    },
  };
}

/** Throws ConfigError for a provider that there is not. */
function serverAt({ provider: id, baseUrl, key }: ModelLocation, config: Config): ModelServer {
  const provider = providers.find((one) => one.id === id);
  if (provider === undefined) throw new ConfigError(`There is no provider ${id}. Expected ${namesOf("")}.`);
  const own = (key ?? config[keySettingOf(id)]) || null;
  const facts = { ...provider, model: "", apiKey: own ?? "", baseUrl: baseUrl ?? undefined };
  return {
    provider: id,
    title: describeProvider(facts).title,
    url: (baseUrl ?? provider.url).replace(/\/{1,20}$/u, ""),
    listing: provider.listing,
    key: own,
  };
}

function namesOf(ending: string): string {
  return providers.map(({ id }) => `${id}${ending}`).join(" or ");
}

async function test(choice: ModelChoice, { config, log }: SetupDeps, signal: AbortSignal): Promise<void> {
  const sources = { own: [], clock: systemClock, ids: createIds(), log, tries: "once" } as const;
  const models = createModels({ ...config, baseUrl: choice.baseUrl, ...keysOf(choice) }, sources);
  const timeout = AbortSignal.timeout(waits.call);
  try {
    await callOnce(models.resolve(choice.model, choice.baseUrl), AbortSignal.any([signal, timeout]));
  } catch (error) {
    signal.throwIfAborted();
    if (!timeout.aborted) throw error;
    throw new ModelTimeoutError(
      `${choice.model} did not answer within ${waits.call / 1000} seconds. One that is loaded for its first word may need longer: try again.`,
      { provider: providerOf(choice.model)?.id ?? "local" },
    );
  } finally {
    await models.close();
  }
}

function keysOf({ model, key }: ModelChoice): Partial<KeyConfig> {
  const { setting, isWanted } = keyOf(model);
  if (key.kind === "kept" || (key.kind === "none" && !isWanted)) return {};
  if (!isWanted) throw new ConfigError(`${model} takes no key. Expected ${namesOf("/NAME")} with one.`);
  return { [setting]: key.kind === "new" ? key.text : null };
}
