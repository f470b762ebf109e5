// The models and embedders that agents can have, for front ends that let a client choose one by name.
// Invariant: types only; nothing here contains a key or an address.
import type { ModelPrice } from "../base/message/message.ts";

export interface KnownModel {
  /** As the option `model` takes it, such as `openai/NAME`. */
  readonly name: string;
  /** In tokens. */
  readonly contextWindow: number;
}

export interface KnownEmbedder {
  readonly name: string;
  /** Of its vectors; null: known when it is loaded. */
  readonly dimensions: number | null;
  /** Tokens of a text that it reads; null: known when it is loaded. */
  readonly windowTokens: number | null;
  /** Whether new agents have it. */
  readonly isUsed: boolean;
}

export interface ModelListing {
  /** The default model first, then those of the program, then those that the configured providers list. */
  readonly models: readonly KnownModel[];
  /** Ids of configured providers whose list could not be read: they may have more models. */
  readonly unread: readonly string[];
}

export interface ModelOperations {
  /** Asks the configured providers for their models, at most once a minute. A provider that fails is in `unread` and in the log. */
  list(): Promise<ModelListing>;
  /** Returns a model by its name, without a request. Throws ConfigError for a name that no provider has. */
  find(name: string): KnownModel;
  /** Returns the configured price of a model by its name or family; null if there is none. */
  priceOf(name: string): ModelPrice | null;
  /** Returns the embedders whose settings are complete, the one of new agents first. */
  embedders(): Promise<readonly KnownEmbedder[]>;
}
