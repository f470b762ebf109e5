// Defines how to find the models and embedders that agents can have, for front ends that let a client choose one by name.
// Invariant: no result contains a key or an address.
import { form, type RecordOf } from "../../base/arguments/forms.ts";
import type { ModelPrice } from "../../base/message/message.ts";
import { type Contract, read, value } from "../contract.ts";

const modelFields = {
  /** The model's name in the form of the option `model`: `openai/NAME`. */
  name: form.text,
  /** The size of the window in tokens. */
  contextWindow: form.count,
};

export interface KnownModel extends RecordOf<typeof modelFields> {}

const embedderFields = {
  name: form.text,
  /** The number of dimensions of its vectors; null if it is known only once the embedder is loaded. */
  dimensions: form.nullable(form.count),
  /** Maximum tokens of a text that the embedder reads; null if the number is known only once the embedder is loaded. */
  windowTokens: form.nullable(form.count),
  /** Whether new agents use this embedder. */
  isUsed: form.flag,
};

export interface KnownEmbedder extends RecordOf<typeof embedderFields> {}

const listingFields = {
  /** The models: the default one first, then those of the program, then those that the configured providers list. */
  models: form.records(modelFields),
  /** Ids of the configured providers whose lists could not be read. These providers may have more models. */
  unread: form.texts,
};

export interface ModelListing extends RecordOf<typeof listingFields> {}

export interface ModelOperations {
  /**
   * Asks the configured providers for their models, at most once a minute. A provider that fails is in `unread` and in the log.
   */
  list(): Promise<ModelListing>;
  /** Returns a model by its name, without a request to a provider. Throws ConfigError for a name that no provider has. */
  find(name: string): KnownModel;
  /** Returns the price of a model by its name, in dollars per million tokens; null if there is none. */
  priceOf(name: string): ModelPrice | null;
  /** Returns the embedders with complete settings; the embedder that new agents use is first. */
  embedders(): Promise<readonly KnownEmbedder[]>;
}

const name = value("name", form.text);

export const modelContract = {
  list: { args: [], http: read("GET /models", "List the models that agents can have", listingFields) },
  find: { args: [name], isImmediate: true, http: "`GET /models` returns the models that the providers list." },
  priceOf: { args: [name], isImmediate: true, http: "`GET /prices` returns the prices of several models." },
  embedders: { args: [], http: read("GET /embedders", "List the embedders that agents can have", [embedderFields]) },
} as const satisfies Contract<ModelOperations>;
