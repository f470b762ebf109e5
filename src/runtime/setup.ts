// What a front end can ask for while somebody chooses a model: which servers there are, whether a choice works, and keeping it.
// Invariant: types only.

/** A provider of models that takes a key. */
export interface ProviderChoice {
  /** As at the front of a model's name. */
  readonly id: string;
  readonly brand: string;
  /** What its models are, in a line. */
  readonly about: string;
  /** A line of a menu. */
  readonly offer: string;
  /** The variable of the environment that may hold its key. */
  readonly keyVariable: string;
  /** Where keys are made. */
  readonly keyPage: string;
  /** A key is configured. */
  readonly hasKey: boolean;
}

/** A model that somebody chose, with what it needs to be called. */
export interface ModelChoice {
  /** As `--model` takes it. */
  readonly model: string;
  /** Of a compatible server; null for the provider's own, and for models that need none. */
  readonly baseUrl: string | null;
  /** `new`: one that was typed. `kept`: the one that is configured already. `none`: it is called without one. */
  readonly key: { readonly kind: "new"; readonly text: string } | { readonly kind: "kept" | "none" };
}

/** A place that lists models. */
export interface ModelLocation {
  /** As at the front of a model's name. */
  readonly provider: string;
  /** Null for the provider's own. */
  readonly baseUrl: string | null;
  /** Null: the one that is configured, if there is one. Empty: none. */
  readonly key: string | null;
}

/** What was found at a port of this machine that a server of models usually has. */
export interface LocalServer {
  /** The program that usually has it, such as `Ollama`. */
  readonly title: string;
  readonly baseUrl: string;
  readonly models: readonly string[];
  /** Why there are no models, though something answers; null when there is nothing to say. */
  readonly problem: string | null;
}

/** What was written where. */
export interface SavedChoice {
  readonly file: string;
  /** Null when no key was written. */
  readonly secretsFile: string | null;
  /** What else is worth to know, a sentence each. */
  readonly notes: readonly string[];
}

export interface Setup {
  /** Those that answer within 300 ms; all are asked side by side. */
  findServers(signal: AbortSignal): Promise<readonly LocalServer[]>;
  /** Names without their provider. Throws ModelError in words for a person. */
  listModels(place: ModelLocation, signal: AbortSignal): Promise<readonly string[]>;
  /** Makes one tiny call. Throws ConfigError and ModelError. */
  test(choice: ModelChoice, signal: AbortSignal): Promise<void>;
  /** Writes the configuration file and, for a new key, the file of secrets, for their owner alone. Throws ConfigError. */
  save(choice: ModelChoice): Promise<SavedChoice>;
}
