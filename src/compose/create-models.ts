// From names to models: which adapter a name belongs to, and what it is given of the configuration.
// Invariant: a model is made once and loaded with its first call; one that lacks a key, a file or a package is a ConfigError.
import { homedir, totalmem } from "node:os";
import type { Clock } from "../base/clock.ts";
import type { Ids } from "../base/ids.ts";
import type { Config } from "../config/settings.ts";
import type { KeyConfig } from "../config/settings/key-settings.ts";
import { ConfigError } from "../errors.ts";
import { contextSizeOf } from "../llm/gguf/context-size.ts";
import { readGgufFile } from "../llm/gguf/gguf-file.ts";
import { isLlamaInstalled, requireLlamaPackage } from "../llm/gguf/llama-package.ts";
import type { Model } from "../llm/model.ts";
import type { ModelProvider } from "../llm/model-provider.ts";
import { providerOf, providers } from "../llm/providers.ts";
import { withRetries } from "../llm/retry/retrying-model.ts";
import { ggufPathOf } from "./gguf-path.ts";
import { modelInputsOf } from "./model-inputs.ts";
import { keyOf } from "./provider-keys.ts";

export type ModelConfig = KeyConfig &
  Pick<Config, "baseUrl" | "openaiApi" | "contextWindow" | "modelInputs" | "maxReplySeconds" | "maxReplyMegabytes">;

export interface ModelSources {
  /** Found before any other; they are not closed. */
  readonly own: readonly Model[];
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: (line: string) => void;
  /** `once`: a call that fails is not made again. Default: it is, when that may help. */
  readonly tries?: "once";
}

/** Whether the package is there that runs GGUF files. */
export const isGgufReady = isLlamaInstalled;

export interface Models {
  /**
   * Each is made once for each address; null: at its provider's own. Throws ConfigError for a name that no adapter knows,
   * and for a model that lacks something.
   */
  readonly resolve: (name: string, baseUrl: string | null) => Model;
  /** The same without asking for a key, which the first call then does: for what only reads the name and the window. */
  readonly find: (name: string, baseUrl: string | null) => Model;
  /** Frees what those that were made here hold. */
  readonly close: () => Promise<void>;
}

/** Finds or makes models by their names. */
export function createModels(config: ModelConfig, sources: ModelSources): Models {
  const known = new Map(sources.own.map((model) => [model.name, model]));
  const made: Model[] = [];
  const make = (name: string, baseUrl: string | null): Model => {
    const path = ggufPathOf(name, { workingFolder: process.cwd(), home: homedir() });
    // A name has no blank in it, unless it is a path.
    const key = path === null ? `${name} ${baseUrl ?? ""}` : `gguf/${path}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const model = path === null ? remoteModel({ ...config, baseUrl }, name, sources) : ggufModel(config, path, sources);
    known.set(key, model);
    made.push(model);
    return model;
  };
  return {
    resolve(name, baseUrl) {
      const own = known.get(name);
      if (own !== undefined) return own;
      const model = make(name, baseUrl);
      requireKey({ ...config, baseUrl }, model.name);
      return model;
    },
    find: (name, baseUrl) => known.get(name) ?? make(name, baseUrl),
    async close() {
      for (const model of made) await model.close?.();
    },
  };
}

function remoteModel(config: ModelConfig, name: string, { clock, tries }: ModelSources): Model {
  const model = createModel(config, name);
  const maxReplyMs = config.maxReplySeconds * 1000;
  return withRetries(model, {
    clock,
    random: Math.random,
    maxReplyMs,
    ...(tries === "once" ? { maxAttempts: 1 } : {}),
  });
}

/**
 * Makes a local model without retries and without a time limit: `maxOutputTokens` bounds the reply, a second try would fail as
 * the first did, and a long prompt can take minutes before the first token.
 */
function ggufModel(config: ModelConfig, path: string, { clock, ids, log }: ModelSources): Model {
  const file = readGgufFile(path);
  requireLlamaPackage();
  const contextWindow = contextSizeOf(file, { configured: config.contextWindow, totalMemory: totalmem() });
  return lazily(`gguf/${path}`, contextWindow, async () => {
    const { createGgufModel } = await import("../llm/gguf/gguf-model.ts");
    return createGgufModel({ path, contextWindow, clock, ids, log });
  });
}

function createModel(config: ModelConfig, name: string): Model {
  if (name === "demo") return demoModel(config);
  const provider = providerOf(name);
  const model = provider === null ? "" : name.slice(provider.id.length + 1);
  if (provider === null || model === "") {
    const forms = providers.map(({ id }) => `${id}/NAME`).join(", ");
    throw new ConfigError(
      `There is no model "${name}". Expected demo, ${forms}, or the path of a file that ends in .gguf.`,
    );
  }
  return providedModel(config, provider, model);
}

function demoModel(config: ModelConfig): Model {
  const contextWindow = config.contextWindow ?? 32_768;
  return lazily("demo", contextWindow, async () => {
    const { createDemoModel } = await import("../llm/demo/demo-model.ts");
    return createDemoModel({ contextWindow });
  });
}

function providedModel(config: ModelConfig, provider: ModelProvider, model: string): Model {
  const name = `${provider.id}/${model}`;
  const contextWindow = config.contextWindow ?? provider.defaultWindow;
  const inputs = modelInputsOf(config, name);
  return lazily(name, contextWindow, async () =>
    provider.load({
      model,
      apiKey: requireKey(config, name),
      contextWindow,
      inputs,
      baseUrl: config.baseUrl ?? undefined,
      maxReplyBytes: replyBytesOf(config),
      openaiApi: config.openaiApi,
    }),
  );
}

function replyBytesOf({ maxReplyMegabytes }: ModelConfig): number {
  return Math.ceil(maxReplyMegabytes * 1_000_000);
}

// Four adapters are known and at most one is used: each is loaded with its first call.
function lazily(name: string, contextWindow: number, load: () => Promise<Model>): Model {
  let loaded: Promise<Model> | undefined;
  return {
    name,
    contextWindow,
    async *stream(request, options) {
      loaded ??= load();
      yield* (await loaded).stream(request, options);
    },
    close: async () => (await loaded)?.close?.(),
  };
}

// A server of one's own usually wants no key, but the official clients insist on sending one.
function requireKey(config: ModelConfig, name: string): string {
  const { setting, variable, isWanted } = keyOf(name);
  if (!isWanted) return "none";
  const key = config[setting];
  if (key !== null) return key;
  if (config.baseUrl !== null) return "none";
  throw new ConfigError(
    `${name} needs a key: set ${variable} or run \`palimpsest configure\`, or choose another model with --model (demo needs none).`,
  );
}
