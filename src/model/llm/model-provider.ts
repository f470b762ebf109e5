// Describes a provider of models: how it names them, and how a model is created.
// Invariant: types and constants only; a provider's SDK is loaded with its first call.
import type { ModelInput } from "../../base/message/file-part.ts";
import type { Model } from "./model.ts";

/** How a provider lists its models. */
export interface ModelListing {
  /** Path of the list, appended to the provider's address. */
  readonly path: string;
  headers(key: string): Readonly<Record<string, string>>;
}

/** The listing of OpenAI's API and of every compatible server. */
export const openaiListing: ModelListing = {
  path: "/models",
  headers: (key) => ({ authorization: `Bearer ${key}` }),
};

/** The options of an adapter for one model. */
export interface AdapterOptions {
  /** The API's name of the model, without the provider's prefix. */
  readonly model: string;
  /** May be empty for servers that require no key. */
  readonly apiKey: string;
  readonly contextWindow: number;
  /** Inputs besides text that the model accepts. */
  readonly inputs?: readonly ModelInput[];
  /** Another server with the same API; undefined for the provider's own address. */
  readonly baseUrl?: string | undefined;
  /** Maximum bytes of one reply. Default 32,000,000. */
  readonly maxReplyBytes?: number | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Called with one line, once, if the model refuses the configured temperature. */
  readonly log?: ((line: string) => void) | undefined;
}

/** Options for a provider's model. */
export interface ProviderModelOptions extends Required<Omit<AdapterOptions, "fetch">> {
  /** The setting `openaiApi`, for providers with more than one API. */
  readonly openaiApi: "auto" | "responses" | "chat";
}

export interface ModelProvider {
  /** The prefix of a model's name. */
  readonly id: string;
  /** Matches names of the provider's models without the prefix, to suggest the full name. */
  readonly namesOfModels: RegExp;
  /** The name that is shown to people. */
  readonly brand: string;
  /** The provider's line in the output of `palimpsest models`. */
  readonly about: string;
  /** The provider's line in the menu of `palimpsest configure`. */
  readonly offer: string;
  /** Name of the environment variable that contains the API key. */
  readonly keyVariable: string;
  /** The page on which keys are created. */
  readonly keyPage: string;
  /** The provider's own address; `baseUrl` replaces it. */
  readonly url: string;
  readonly listing: ModelListing;
  /** Whether the provider's own list of models contains their windows. */
  readonly statesWindows: boolean;
  /** Default window in tokens: the smallest window of the provider's current models. */
  readonly defaultWindow: number;
  /** Returns the inputs that a model accepts besides text. `isElsewhere`: the model is on another server with this API. */
  inputsOf(model: string, isElsewhere: boolean): readonly ModelInput[];
  /** Whether a model's replies match a request's `output`. `baseUrl`: a server other than the provider's own. */
  hasStructuredOutput(model: string, baseUrl: string | null): boolean;
  /** Loads the adapter, which loads the SDK. */
  load(options: ProviderModelOptions): Promise<Model>;
}
