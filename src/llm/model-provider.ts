// Describes a provider of models: how it names them, and how a model is created.
// Invariant: types and constants only; a provider's SDK is loaded with its first call.
import type { ModelInput } from "../message/file-part.ts";
import type { Model } from "./model.ts";

/** How a provider lists its models. */
export interface ModelListing {
  /** What is added to its address. */
  readonly path: string;
  headers(key: string): Readonly<Record<string, string>>;
}

/** As OpenAI's API lists them, and every compatible server. */
export const openaiListing: ModelListing = {
  path: "/models",
  headers: (key) => ({ authorization: `Bearer ${key}` }),
};

/** What a model of a provider's is made with. */
export interface ProviderModelOptions {
  /** Without the provider. */
  readonly model: string;
  readonly apiKey: string;
  readonly contextWindow: number;
  readonly inputs: readonly ModelInput[];
  /** Another server that speaks the same API; undefined for the provider's own address. */
  readonly baseUrl: string | undefined;
  readonly maxReplyBytes: number;
  /** The setting of that name, for providers with more than one API. */
  readonly openaiApi: "auto" | "responses" | "chat";
}

export interface ModelProvider {
  /** As at the front of a model's name. */
  readonly id: string;
  /** As people are told of it. */
  readonly brand: string;
  /** A line of `palimpsest models`. */
  readonly about: string;
  /** A line of the menu of `palimpsest configure`. */
  readonly offer: string;
  /** The variable of the environment that holds its key: that of the setting of the key. */
  readonly keyVariable: string;
  /** Where keys are made. */
  readonly keyPage: string;
  /** Its own address, as `baseUrl` names another one. */
  readonly url: string;
  readonly listing: ModelListing;
  /** Tokens of the window where nothing is configured: the least that its current models have. */
  readonly defaultWindow: number;
  /** What a model can be sent besides text. `isElsewhere`: at another server that speaks its API. */
  inputsOf(model: string, isElsewhere: boolean): readonly ModelInput[];
  /** Loads the adapter, which loads the SDK. */
  load(options: ProviderModelOptions): Promise<Model>;
}
