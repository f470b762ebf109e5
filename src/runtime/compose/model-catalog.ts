// Lists the models and embedders that agents can have: those of the program, the default one, and those of the configured
// providers.
// Invariant: each provider is asked at most once a minute. If a provider fails, only its models are missing from the list.
import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/thrown-values.ts";
import type { Config } from "../../config/settings.ts";
import { type KeyConfig, keySettingOf } from "../../config/settings/key-settings.ts";
import type { Embedder } from "../../model/embedding/embedder.ts";
import { ModelError } from "../../base/errors.ts";
import type { Model } from "../../model/llm/model.ts";
import type { ModelProvider } from "../../model/llm/model-provider.ts";
import { providerOf, providers } from "../../model/llm/providers.ts";
import { listModels } from "../../model/llm/servers/list-models.ts";
import type { Embedders } from "../../memory/vectors/embedders.ts";
import { priceOf } from "../models/model-price.ts";
import type { KnownEmbedder, ModelListing, ModelOperations } from "../models/contract.ts";
import type { Models } from "./create-models.ts";
import { modelServerAt } from "./model-server.ts";
import type { EmbedderConfig } from "./open-embedder.ts";

export interface CatalogDeps {
  readonly models: Pick<Models, "find">;
  /** The program's own models and embedders. */
  readonly own: { readonly models: readonly Model[]; readonly embedders: readonly Embedder[] };
  readonly embedders: Embedders;
  readonly clock: Clock;
  readonly log: (line: string) => void;
}

type CatalogConfig = KeyConfig & EmbedderConfig & Pick<Config, "model" | "contextWindow" | "prices">;

const timeoutMs = 10_000;
const keepMs = 60_000;

export function createModelCatalog(config: CatalogConfig, deps: CatalogDeps): ModelOperations {
  const { clock } = deps;
  let known: Promise<readonly KnownEmbedder[]> | null = null;
  let listing: { readonly at: number; readonly result: Promise<ModelListing> } | null = null;

  /**
   * Returns a model by name. Models of the default model's provider have the configured address; other models have their
   * provider's own address.
   */
  const find: ModelOperations["find"] = (name) => {
    const isDefaultProvider = providerOf(name)?.id === providerOf(config.model)?.id;
    const model = deps.models.find(name, isDefaultProvider ? config.baseUrl : null);
    return { name: model.name, contextWindow: config.contextWindow ?? model.contextWindow };
  };

  return {
    find,
    priceOf: (name) => priceOf(name, config.prices),
    list() {
      const now = clock.now().getTime();
      if (listing === null || now - listing.at > keepMs) listing = { at: now, result: readListing(config, deps, find) };
      return listing.result;
    },
    embedders: () => (known ??= readEmbedders(config, deps)),
  };
}

async function readEmbedders(
  config: CatalogConfig,
  { embedders, own }: CatalogDeps,
): Promise<readonly KnownEmbedder[]> {
  const { listEmbedders } = await import("./list-embedders.ts");
  const ready = (await listEmbedders(config)).filter((one) => one.isReady && !one.name.endsWith("/NAME"));
  const used = embedders.default?.embedder ?? null;
  const known = [...(used === null ? [] : [used]), ...own.embedders, ...ready].map((one) => {
    const { name, dimensions, windowTokens = null } = one;
    return { name, dimensions, windowTokens, isUsed: name === used?.name };
  });
  return onceByName<KnownEmbedder>(known);
}

async function readListing(
  config: CatalogConfig,
  deps: CatalogDeps,
  find: ModelOperations["find"],
): Promise<ModelListing> {
  const lists = await Promise.all(configuredProviders(config).map((provider) => namesOf(provider, config, deps)));
  const names = [config.model, ...deps.own.models.map(({ name }) => name), ...lists.flatMap((list) => list.names)];
  return {
    models: onceByName(names.map((name) => find(name))),
    unread: lists.flatMap(({ provider, isRead }) => (isRead ? [] : [provider])),
  };
}

/** Returns the providers that have a key, and the provider with a configured address. */
function configuredProviders(config: CatalogConfig): readonly ModelProvider[] {
  return providers.filter(({ id }) => config[keySettingOf(id)] !== null || baseUrlOf(config, id) !== null);
}

function baseUrlOf({ model, baseUrl }: CatalogConfig, provider: string): string | null {
  return providerOf(model)?.id === provider ? baseUrl : null;
}

interface ProviderModels {
  readonly provider: string;
  readonly names: readonly string[];
  readonly isRead: boolean;
}

async function namesOf(provider: ModelProvider, config: CatalogConfig, { log }: CatalogDeps): Promise<ProviderModels> {
  const { id } = provider;
  const server = modelServerAt(provider, { baseUrl: baseUrlOf(config, id), key: null }, config);
  try {
    const models = await listModels(server, { timeoutMs, signal: new AbortController().signal });
    return { provider: id, names: models.map((name) => `${id}/${name}`), isRead: true };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    log(`The models of ${server.title} are not listed: ${messageOf(error)}`);
    return { provider: id, names: [], isRead: false };
  }
}

function onceByName<Named extends { readonly name: string }>(named: readonly Named[]): readonly Named[] {
  return named.filter(({ name }, at) => named.findIndex((other) => other.name === name) === at);
}
