// Describes the operations for choosing a model: find local servers, list models, test a choice and save it.
// Invariant: types only.
import type { ContextReport } from "../store/port/context-report.ts";

/** A model provider that requires a key. */
export interface ProviderChoice {
  /** The prefix of the names of its models, such as `openai`. */
  readonly id: string;
  readonly brand: string;
  /** A description of the provider's models, on one line. */
  readonly about: string;
  /** The text of the provider's entry in the menu. */
  readonly offer: string;
  /** The environment variable that may contain its API key. */
  readonly keyVariable: string;
  /** The web page where users create keys. */
  readonly keyPage: string;
  /** Whether a key of the provider is configured. */
  readonly hasKey: boolean;
}

/** A model that the user chose, with its server and key. */
export interface ModelChoice {
  /** The model's name, as the value of the flag `--model`. */
  readonly model: string;
  /** The URL of a compatible server; null for the provider's own server, and for models without a server. */
  readonly baseUrl: string | null;
  /** `new`: a key that the user typed. `kept`: the configured key. `none`: calls use no key. */
  readonly key: { readonly kind: "new"; readonly text: string } | { readonly kind: "kept" | "none" };
  /** `on`: new agents get the setting `assist`, which helps small models. Absent: the setting stays as configured. */
  readonly assist?: "on";
  /** A model of the same server that computes the vectors of new agents. Absent: the configured embedder. */
  readonly embedder?: string;
}

/** The result of testing a model with the prompt and the tools of a new agent. All sizes are in tokens. */
export interface ModelTrial {
  readonly window: number;
  readonly windowFrom: ContextReport["windowFrom"];
  readonly promptTokens: number;
  /** The window that the prompt needs with full core memory and some turns. */
  readonly neededTokens: number;
  /** `barely`: the window is below `neededTokens`. `not`: no turn fits; the model is called only if no window was known. */
  readonly fits: "well" | "barely" | "not";
  readonly callsTools: boolean;
  /** A sentence that says how to give the model a larger window. */
  readonly advice: string;
}

/** A server that lists models. */
export interface ModelLocation {
  /** The prefix of the names of the provider's models. */
  readonly provider: string;
  /** The address of a compatible server; null for the provider's own server. */
  readonly baseUrl: string | null;
  /** The API key; null: the configured key, if there is one. An empty text: no key. */
  readonly key: string | null;
}

/** What a server states about the abilities of a model; null: the server does not state it. */
export interface KnownAbilities {
  readonly tools: boolean | null;
  /** Whether the model is an embedding model, which returns vectors. */
  readonly embeddings: boolean | null;
}

/** A model server that was found at one of the usual ports of this machine. */
export interface LocalServer {
  /** The name of the program that usually uses the port, such as `Ollama`. */
  readonly title: string;
  readonly baseUrl: string;
  readonly models: readonly string[];
  /** Why a server that answers lists no models; null if there is no problem. */
  readonly problem: string | null;
}

/** The files that were written for a choice. */
export interface SavedChoice {
  readonly file: string;
  /** The path of the secrets file; null if no key was written. */
  readonly secretsFile: string | null;
  /** Further remarks, one sentence each. */
  readonly notes: readonly string[];
}

/** The size of a window in tokens, and where the size comes from. */
export interface KnownWindow {
  readonly tokens: number;
  readonly from: NonNullable<ContextReport["windowFrom"]>;
}

export interface Setup {
  /** Returns what is known about the configured model's window, without a request; null for a model that cannot be used. */
  window(): Promise<KnownWindow | null>;
  /** Returns the local model servers that answer within two seconds. All ports are tried concurrently. */
  findServers(signal: AbortSignal): Promise<readonly LocalServer[]>;
  /** Returns the names of the server's models, without the provider. Throws ModelError with a message for the user. */
  listModels(place: ModelLocation, signal: AbortSignal): Promise<readonly string[]>;
  /**
   * Returns what the server states about these models, keyed by name; unknown models are absent. Throws only the signal's
   * reason.
   */
  abilities(
    place: ModelLocation,
    names: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, KnownAbilities>>;
  /**
   * Sends the model one message that asks for a tool call, as an agent would send it, and reads the model's window. Throws
   * ConfigError, ModelError and StoreError.
   */
  test(choice: ModelChoice, signal: AbortSignal): Promise<ModelTrial>;
  /**
   * Writes the configuration file and, for a new key, the secrets file, both readable by their owner only. Throws
   * ConfigError.
   */
  save(choice: ModelChoice): Promise<SavedChoice>;
}
