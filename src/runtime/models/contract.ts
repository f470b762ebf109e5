// What a program can do with the models and embedders that agents can have, for front ends that let a client choose one by
// name.
// Invariant: nothing here contains a key or an address.
import { form, type RecordOf } from "../../base/arguments/forms.ts";
import type { ModelPrice } from "../../base/message/message.ts";
import { type Contract, read, value } from "../contract.ts";

const modelFields = {
  /** The name, as the option `model` accepts it: `openai/NAME`. */
  name: form.text,
  /** In tokens. */
  contextWindow: form.count,
};

export interface KnownModel extends RecordOf<typeof modelFields> {}

const embedderFields = {
  name: form.text,
  /** Dimensions of its vectors; null: known only when it is loaded. */
  dimensions: form.nullable(form.count),
  /** Tokens of a text that it reads; null: known only when it is loaded. */
  windowTokens: form.nullable(form.count),
  /** Whether new agents have it. */
  isUsed: form.flag,
};

export interface KnownEmbedder extends RecordOf<typeof embedderFields> {}

const listingFields = {
  /** The default model first, then those of the program, then those that the configured providers list. */
  models: form.records(modelFields),
  /** Ids of configured providers whose list could not be read: they may have more models. */
  unread: form.texts,
};

export interface ModelListing extends RecordOf<typeof listingFields> {}

export interface ModelOperations {
  /**
   * Asks the configured providers for their models, at most once a minute. A provider that fails is in `unread` and in the log.
   */
  list(): Promise<ModelListing>;
  /** Returns a model by its name, without a request. Throws ConfigError for a name that no provider has. */
  find(name: string): KnownModel;
  /** Returns the configured price of a model by its name or family; null if there is none. */
  priceOf(name: string): ModelPrice | null;
  /** Returns the embedders whose settings are complete, the one of new agents first. */
  embedders(): Promise<readonly KnownEmbedder[]>;
}

const name = value("name", form.text);

export const modelContract = {
  list: { args: [], http: read("GET /models", "List the models that agents can have", listingFields) },
  find: { args: [name], isImmediate: true, http: "`GET /models` has those that the providers list." },
  priceOf: { args: [name], isImmediate: true, http: "`GET /prices` has the prices of several models." },
  embedders: { args: [], http: read("GET /embedders", "List the embedders that agents can have", [embedderFields]) },
} as const satisfies Contract<ModelOperations>;
