// Creates models from their names: chooses the adapter of a name and passes it its part of the configuration.
// Invariant: a model is created once and loaded at its first call; a missing key, file or package is a ConfigError. The
// model of a GGUF file is named `gguf/` and the absolute path, in whatever form the caller wrote the path.
import { homedir, totalmem } from "node:os";
import type { Clock } from "../../base/clock.ts";
import type { Ids } from "../../base/ids.ts";
import type { Config } from "../../config/settings.ts";
import { type KeyConfig, keySettingOf, providerIdOf } from "../../config/settings/key-settings.ts";
import { ConfigError } from "../../base/errors.ts";
import { contextSizeOf, readGgufFile } from "../../model/llm/gguf/gguf-file.ts";
import { isLlamaInstalled, requireLlamaPackage } from "../../model/llm/gguf/llama-package.ts";
import { withCheckedEvents } from "../../model/llm/own/checked-model.ts";
import type { Model } from "../../model/llm/model.ts";
import type { ModelProvider } from "../../model/llm/model-provider.ts";
import { providerOf, providers } from "../../model/llm/providers.ts";
import { withRetries } from "../../model/llm/retry/retrying-model.ts";
import type { ModelServer } from "../../model/llm/servers/list-models.ts";
import { modelInputsOf } from "./model-inputs.ts";
import { type ModelProfiles, withProfile } from "./profiled-model.ts";
import { modelServerAt } from "./model-server.ts";
import { keyOf } from "./provider-keys.ts";
import { join, resolve } from "node:path";

export type ModelConfig = KeyConfig &
  Pick<Config, "baseUrl" | "openaiApi" | "contextWindow" | "modelInputs" | "maxReplySeconds" | "maxReplyMegabytes">;

export interface ModelSources {
  /** The program's own models. They take precedence over other models of the same name, and `close` leaves them open. */
  readonly own: readonly Model[];
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: (line: string) => void;
  readonly profiles: ModelProfiles;
  /** `once`: failed calls are not retried. Default: a failed call is retried if its error is retryable. */
  readonly tries?: "once";
}

/** Returns whether the package that runs GGUF files is installed. */
export const isGgufReady = isLlamaInstalled;

export interface Models {
  /**
   * Returns the same model for the same name and address (null: the provider's own). Throws ConfigError for a name that
   * no adapter knows, and for a missing key, file or package.
   */
  readonly resolve: (name: string, baseUrl: string | null) => Model;
  /** Like `resolve`, but a missing key fails only the first call: for uses that read only the name and the window. */
  readonly find: (name: string, baseUrl: string | null) => Model;
  /** Frees the resources of the models that were created here. */
  readonly close: () => Promise<void>;
}

export function createModels(config: ModelConfig, sources: ModelSources): Models {
  const known = new Map(sources.own.map((model) => [model.name, withCheckedEvents(model)]));
  const created: Model[] = [];
  const findOrCreate = (name: string, baseUrl: string | null): Model => {
    const path = ggufPathOf(name, { workingFolder: process.cwd(), home: homedir() });
    // The cache key is unambiguous, because a name that is not a path contains no space.
    const key = path === null ? `${name} ${baseUrl ?? ""}` : `gguf/${path}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const model = path === null ? remoteModel({ ...config, baseUrl }, name, sources) : ggufModel(config, path, sources);
    known.set(key, model);
    created.push(model);
    return model;
  };
  return {
    resolve(name, baseUrl) {
      const own = known.get(name);
      if (own !== undefined) return own;
      const model = findOrCreate(name, baseUrl);
      requireKey({ ...config, baseUrl }, model.name);
      return model;
    },
    find: (name, baseUrl) => known.get(name) ?? findOrCreate(name, baseUrl),
    async close() {
      for (const model of created) await model.close?.();
    },
  };
}

function remoteModel(config: ModelConfig, name: string, { clock, tries, profiles, log }: ModelSources): Model {
  const model = createModel(config, name, log);
  const maxReplyMs = config.maxReplySeconds * 1000;
  const retrying = withRetries(model, {
    clock,
    random: Math.random,
    maxReplyMs,
    ...(tries === "once" ? { maxAttempts: 1 } : {}),
  });
  const provider = providerOf(name);
  if (provider === null) return retrying;
  const { baseUrl, contextWindow: configured } = config;
  const server = profiledServer(config, provider);
  return withProfile(retrying, { baseUrl, server, configured, defaultWindow: provider.defaultWindow, profiles, clock });
}

/**
 * Returns the server to ask for a model's profile: at the configured address, or the provider's own. Null if the provider's
 * own server needs a key that is missing, or, like OpenAI's, does not state the size of windows.
 */
function profiledServer(config: ModelConfig, provider: ModelProvider): ModelServer | null {
  const { baseUrl } = config;
  if (baseUrl !== null) return modelServerAt(provider, { baseUrl, key: null }, config);
  if (!provider.statesWindows || config[keySettingOf(provider.id)] === null) return null;
  return modelServerAt(provider, { baseUrl: null, key: null }, config);
}

/**
 * Creates a local model without retries and without a time limit: `maxOutputTokens` bounds the reply, a retry would fail as the
 * first call did, and the first token after a long prompt can take minutes.
 */
function ggufModel(config: ModelConfig, path: string, { clock, ids, log }: ModelSources): Model {
  const file = readGgufFile(path);
  requireLlamaPackage();
  const contextWindow = contextSizeOf(file, { configured: config.contextWindow, totalMemory: totalmem() });
  return lazily(`gguf/${path}`, contextWindow, async () => {
    const { createGgufModel } = await import("../../model/llm/gguf/gguf-model.ts");
    return createGgufModel({ path, contextWindow, clock, ids, log });
  });
}

function createModel(config: ModelConfig, name: string, log: ModelSources["log"]): Model {
  if (name === "demo") return demoModel(config);
  const provider = providerOf(name);
  const model = provider === null ? "" : name.slice(provider.id.length + 1);
  if (provider === null || model === "") {
    const forms = providers.map(({ id }) => `${id}/NAME`).join(", ");
    const likely = providers.find(({ namesOfModels }) => namesOfModels.test(name));
    const hint = likely === undefined ? "" : ` Did you mean "${likely.id}/${name}"?`;
    throw new ConfigError(
      `Expected a model named demo, ${forms}, or the path of a file that ends in .gguf, got "${name}".${hint}`,
    );
  }
  return providedModel({ ...config, log }, provider, model);
}

function demoModel(config: ModelConfig): Model {
  const contextWindow = config.contextWindow ?? 32_768;
  return lazily("demo", contextWindow, async () => {
    const { createDemoModel } = await import("../../model/llm/demo/demo-model.ts");
    return createDemoModel({ contextWindow });
  });
}

function providedModel(config: ModelConfig & Pick<ModelSources, "log">, provider: ModelProvider, model: string): Model {
  const name = `${provider.id}/${model}`;
  const contextWindow = config.contextWindow ?? provider.defaultWindow;
  const inputs = modelInputsOf(config, name);
  const loaded = lazily(name, contextWindow, async () =>
    provider.load({
      model,
      apiKey: requireKey(config, name),
      contextWindow,
      inputs,
      baseUrl: config.baseUrl ?? undefined,
      maxReplyBytes: Math.ceil(config.maxReplyMegabytes * 1_000_000),
      openaiApi: config.openaiApi,
      log: config.log,
    }),
  );
  return Object.assign(loaded, { hasStructuredOutput: provider.hasStructuredOutput(model, config.baseUrl) });
}

// Creates a model that loads its adapter at the first call, because most processes use only one of the adapters.
function lazily(name: string, contextWindow: number, load: () => Promise<Model>): Model {
  let loading: Promise<Model> | undefined;
  const model: { -readonly [Key in keyof Model]: Model[Key] } = {
    name,
    contextWindow,
    async *stream(...call: Parameters<Model["stream"]>) {
      loading ??= load();
      const loaded = await loading;
      // From now on, calls go to the loaded model directly.
      model.stream = loaded.stream.bind(loaded);
      yield* loaded.stream(...call);
    },
    close: async () => (await loading)?.close?.(),
  };
  return model;
}

// Without a key, "none" is passed for a self-hosted server: it usually needs no key, but the official clients require one.
function requireKey(config: ModelConfig, name: string): string {
  const { setting, isWanted } = keyOf(name);
  if (!isWanted) return "none";
  const key = config[setting];
  if (key !== null) return key;
  if (config.baseUrl !== null) return "none";
  throw new ConfigError(`${name} needs a key: set \`${setting}\`, or choose another \`model\` (demo needs none).`);
}

/** Returns the name of a model as agents store it: for a model file, with its absolute path. */
export function fullModelName(name: string): string {
  const path = ggufPathOf(name, { workingFolder: process.cwd(), home: homedir() });
  return path === null ? name : `gguf/${path}`;
}

/** The folders against which a relative path and `~` are resolved. */
interface Folders {
  readonly workingFolder: string;
  readonly home: string;
}

/**
 * Returns the absolute path of `FILE.gguf` or `gguf/FILE.gguf`; null for any other name. A name that begins with another
 * provider, such as `openai/x.gguf`, is not a path.
 */
export function ggufPathOf(name: string, { workingFolder, home }: Folders): string | null {
  if (providerIdOf(name) !== null || !/\.(?:gguf|GGUF)$/u.test(name)) return null;
  const path = name.startsWith("gguf/") ? name.slice("gguf/".length) : name;
  return path.startsWith("~/") ? join(home, path.slice(2)) : resolve(workingFolder, path);
}
