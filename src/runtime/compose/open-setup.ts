// Creates the operations of the setup dialog: list servers and models, test a choice of a model, and save it.
// Invariant: a choice is tested with the current configuration, in the way it will be used.
import { systemClock } from "../../base/clock.ts";
import { createIds } from "../../base/ids.ts";
import type { SavedChanges, SettingChanges } from "../../config/setting-changes.ts";
import type { Config } from "../../config/settings.ts";
import type { KeyConfig } from "../../config/settings/key-settings.ts";
import { ConfigError, ModelTimeoutError } from "../../base/errors.ts";
import { findServers, usualPorts } from "../../model/llm/servers/find-servers.ts";
import { providerOf, providers } from "../../model/llm/providers.ts";
import { listModels, type ModelServer } from "../../model/llm/servers/list-models.ts";
import type { KnownWindow, ModelChoice, ModelLocation, ModelTrial, Setup } from "../setup.ts";
import { changesOf, notesOf } from "./choice-changes.ts";
import { createModels } from "./create-models.ts";
import { openModelProfiles } from "./profiled-model.ts";
import { modelServerAt } from "./model-server.ts";
import { keyOf } from "./provider-keys.ts";

export interface SetupDeps {
  readonly config: Config;
  readonly log: (line: string) => void;
  /** Writes the changes. Throws ConfigError if the file cannot be written. */
  readonly write: (changes: SettingChanges) => Promise<SavedChanges>;
  /** Returns the value of an environment variable; undefined or empty if it is not set. */
  readonly environment: (variable: string) => string | undefined;
}

/**
 * Time-outs in milliseconds. `probe`: a port without a listener refuses at once, so this time is for busy machines. `call`: a
 * server without a graphics card may take minutes to load a model and read a long prompt.
 */
const timeouts = { probe: 2_000, list: 10_000, call: 300_000 } as const;

export function openSetup(deps: SetupDeps): Setup {
  const { config, write, environment } = deps;
  const { embedding, openaiApi } = config;
  return {
    window: () => knownWindow(deps),
    findServers: (signal) => findServers(usualPorts, { timeoutMs: timeouts.probe, signal }),
    listModels: (place, signal) => listModels(serverAt(place, config), { timeoutMs: timeouts.list, signal }),
    async abilities(place, names, signal) {
      const { readAbilities } = await import("../../model/llm/servers/read-profile.ts");
      return readAbilities(serverAt(place, config), names, { timeoutMs: timeouts.probe, signal });
    },
    test: (choice, signal) => test(choice, deps, signal),
    async save(choice) {
      const saved = await write(changesOf(choice, openaiApi));
      const { file, secretsFile } = saved;
      return { file, secretsFile, notes: notesOf(choice, { saved, environment, embedding, openaiApi }) };
    },
  };
}

async function knownWindow({ config, log }: SetupDeps): Promise<KnownWindow | null> {
  const profiles = await openModelProfiles(config.dataDir, log);
  const models = createModels(config, { own: [], profiles, clock: systemClock, ids: createIds(), log });
  try {
    const { contextWindow: tokens, windowFrom: from = "model" } = models.find(config.model, config.baseUrl);
    return { tokens, from };
  } catch (error) {
    // A ConfigError means that a file or package of the model is missing, which the doctor reports.
    if (error instanceof ConfigError) return null;
    throw error;
  }
}

/** Returns the provider's server at a location. Throws ConfigError for an unknown provider. */
function serverAt({ provider: id, ...place }: ModelLocation, config: Config): ModelServer {
  const provider = providers.find((one) => one.id === id);
  if (provider === undefined) throw new ConfigError(`Expected the provider ${namesOf("")}, got ${id}.`);
  return modelServerAt(provider, place, config);
}

function namesOf(ending: string): string {
  return providers.map(({ id }) => `${id}${ending}`).join(" or ");
}

async function test(choice: ModelChoice, { config, log }: SetupDeps, signal: AbortSignal): Promise<ModelTrial> {
  const { baseUrl, model: name, assist = config.assist } = choice;
  // The profiles are kept in memory only, so that a choice that is not saved leaves nothing behind.
  const profiles = await openModelProfiles(undefined, log);
  const sources = { own: [], profiles, clock: systemClock, ids: createIds(), log, tries: "once" } as const;
  const chosen = { ...config, assist, baseUrl, ...keysOf(choice) };
  const models = createModels(chosen, sources);
  const timeout = AbortSignal.timeout(timeouts.call);
  try {
    const model = models.resolve(name, baseUrl);
    const profile = () => profiles.find(model.name, baseUrl);
    // The module is imported only for a test, because it loads a whole runtime.
    const { tryModel } = await import("./try-model.ts");
    const either = AbortSignal.any([signal, timeout]);
    // A new instance of the model asks its server at once, but `model` reuses the server's last answer for a minute.
    const askAgain = async () => createModels(chosen, sources).resolve(name, baseUrl).prepare?.(either);
    return await tryModel({ config: chosen, model, askAgain, profile, signal: either });
  } catch (error) {
    signal.throwIfAborted();
    if (!timeout.aborted) throw error;
    throw new ModelTimeoutError(
      `${name} did not answer within ${timeouts.call / 1000} seconds. A model that must be loaded first may need longer. Try again.`,
      { provider: providerOf(name)?.id ?? "local" },
    );
  } finally {
    await models.close();
  }
}

function keysOf({ model, key }: ModelChoice): Partial<KeyConfig> {
  const { setting, isWanted } = keyOf(model);
  if (key.kind === "kept" || (key.kind === "none" && !isWanted)) return {};
  if (!isWanted) throw new ConfigError(`Expected no key for ${model}, got a key. Only ${namesOf("/NAME")} use one.`);
  return { [setting]: key.kind === "new" ? key.text : null };
}
