// The provider of a model call, and what it says, as error messages show them: one line, bounded length, without keys.
// Invariant: no known secret, nothing that looks like a key and no credentials of the base URL are in the result.
import { takeCodePoints } from "../../../base/code-points.ts";

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

const maxShownLength = 300;
const keyLike = /\b(?:sk|pk|rk|gsk|xai)[-_][\w*.…-]{3,}|\b(Bearer|Basic)\s+[\w.~+/=*-]{6,}/gi;
/** Greedy: a password may contain an @. */
const urlCredentials = /:\/\/[^\s/"'<>]*@/g;

/** Returns the text with every secret, and everything that looks like a key, replaced by `[key]`. */
export function maskKeys(text: string, secrets: readonly string[]): string {
  const masked = secrets.reduce((rest, secret) => rest.replaceAll(secret, "[key]"), text);
  return masked.replace(urlCredentials, "://[key]@").replace(keyLike, "[key]");
}

/** Returns a provider's text for an error message: one line of at most 300 characters. An HTML page is omitted. */
export function quoteProvider(text: string, secrets: readonly string[]): string {
  const line = maskKeys(text, secrets).replaceAll(/\s+/g, " ").trim();
  if (line.startsWith("<")) return "";
  const shown = takeCodePoints(line, maxShownLength);
  return shown.length < line.length ? `${shown}…` : shown;
}
