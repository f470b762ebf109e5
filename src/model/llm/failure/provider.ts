// The provider of a model call, described for error messages.
// Invariant: `title` never contains credentials, even if the base URL does.

export interface Provider {
  /** The prefix of a model's name: `anthropic`, `openai`. */
  readonly id: string;
  /** The name shown to people: `Anthropic`, `The server at localhost:11434`. */
  readonly title: string;
  readonly model: string;
  /** The option of the library that holds the key. */
  readonly keyOption: string;
  /** Texts that no message may contain. */
  readonly secrets: readonly string[];
}

export interface ProviderFacts {
  readonly id: string;
  /** The title if the provider's default address is used. */
  readonly brand: string;
  readonly model: string;
  readonly keyOption: string;
  readonly apiKey: string;
  readonly baseUrl?: string | undefined;
}

/** Describes the provider of one model; a base URL is named by its host and port only. */
export function describeProvider(facts: ProviderFacts): Provider {
  const { id, brand, model, keyOption, apiKey, baseUrl } = facts;
  return {
    id,
    title: baseUrl === undefined ? brand : titleOfServer(baseUrl),
    model,
    keyOption,
    secrets: [apiKey, apiKey.trim()].filter((secret) => secret.length > 3),
  };
}

function titleOfServer(baseUrl: string): string {
  return URL.canParse(baseUrl) ? `The server at ${new URL(baseUrl).host}` : "The server at the configured base URL";
}
