// Describes the provider of a model call, and converts the provider's failures to typed errors. Providers have no common
// code for a request that exceeds the window, so this file lists observed wordings; add new wordings here and to the test.
// Invariant: a message is one line of bounded length and says what to do. It contains no known secret, nothing that
// looks like a key, no credentials of the base URL, and no sent content.
import { inspect } from "node:util";
import {
  ContextOverflowError,
  ModelAuthError,
  type ModelError,
  type ModelErrorDetails,
  ModelProtocolError,
  ModelRateLimitError,
  ModelRequestError,
  ModelTimeoutError,
  ModelUnavailableError,
  reasonMark,
  saidMark,
  titleOfServer,
} from "../../../base/errors.ts";
import { takeCodePoints } from "../../../base/code-points.ts";

/**
 * A failure of a model call. `answer`: the provider answered with an error; `request`: nothing could be sent; `stream`: the
 * reply was truncated.
 */
export interface ProviderFailure {
  readonly kind: "answer" | "connection" | "timeout" | "request" | "stream";
  readonly status?: number | undefined;
  /** The provider's machine-readable codes: error code, error type. */
  readonly codes: readonly string[];
  /** The provider's error text. */
  readonly text: string;
  readonly headers?: HeaderReader | undefined;
  readonly cause?: unknown;
}

const quotaCodes = new Set(["insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "billing_error"]);

export function toModelError(failure: ProviderFailure, provider: Provider, now: Date): ModelError {
  const { title } = provider;
  const facts = factsOf(failure, provider);
  const because = saying(failure, provider, reasonMark);
  switch (failure.kind) {
    case "connection":
      return new ModelUnavailableError(
        `${title} cannot be reached. Check the network and the base URL, or try again later.${because}`,
        facts,
      );
    case "timeout":
      return new ModelTimeoutError(`${title} did not answer in time. Try again later.`, facts);
    case "request":
      return new ModelRequestError(
        `The request to ${title} could not be made. Check the model's settings.${because}`,
        facts,
      );
    case "stream":
      return new ModelProtocolError(
        `${title} truncated its reply, or sent data that cannot be parsed. Try again.${because}`,
        facts,
      );
    case "answer":
      return ofStatus(failure, provider, now);
  }
}

function ofStatus(failure: ProviderFailure, provider: Provider, now: Date): ModelError {
  const status = failure.status ?? 500;
  const facts = factsOf(failure, provider);
  const said = saying(failure, provider);
  const { title, model, keyOption } = provider;
  if (status === 401 || status === 403) {
    return new ModelAuthError(
      `${title} refused the key (${status}). Set \`${keyOption}\` to a valid key that may use "${model}".${said}`,
      facts,
    );
  }
  if (status === 413 || isOverflow(failure.text, failure.codes)) {
    return new ContextOverflowError(
      `The request is longer than the window of "${model}" (${status}). Shorten the conversation, or use a model with a larger window.${said}`,
      { ...facts, window: windowIn(failure.text) },
    );
  }
  if (status === 408) return new ModelTimeoutError(`${title} did not answer in time (408). Try again later.`, facts);
  if (status === 429) return ofLimit(failure, provider, now);
  if (status === 409 || status >= 500) {
    return new ModelUnavailableError(`${title} is overloaded or failing (${status}). Try again later.${said}`, {
      ...facts,
      ...waitOf(failure, now),
    });
  }
  if (status === 404 || failure.codes.includes("model_not_found")) {
    return new ModelRequestError(
      `${title} has no model named "${model}" (${status}). Check the model's name and the base URL.${said}`,
      facts,
    );
  }
  return new ModelRequestError(`${title} refused the request (${status}).${said}`, facts);
}

function ofLimit(failure: ProviderFailure, provider: Provider, now: Date): ModelError {
  const facts = factsOf(failure, provider);
  const said = saying(failure, provider);
  if (failure.codes.some((code) => quotaCodes.has(code))) {
    return new ModelRequestError(
      `${provider.title} refused the request: the account's quota is used up (429). Check its plan and billing.${said}`,
      facts,
    );
  }
  return new ModelRateLimitError(
    `${provider.title} limits the rate of requests (429). Wait, or ask the provider for a higher limit.${said}`,
    { ...facts, ...waitOf(failure, now) },
  );
}

function factsOf(failure: ProviderFailure, provider: Provider): ModelErrorDetails {
  return {
    provider: provider.id,
    ...(failure.status === undefined ? {} : { status: failure.status }),
    ...(holdsKey(failure.cause, provider) ? {} : { cause: failure.cause }),
  };
}

function waitOf(failure: ProviderFailure, now: Date): { readonly retryAfterMs?: number } {
  const retryAfterMs = readRetryAfterMs(failure.headers, now);
  return retryAfterMs === undefined ? {} : { retryAfterMs };
}

function saying(failure: ProviderFailure, provider: Provider, who = saidMark): string {
  const quoted = quoteProvider(failure.text, provider.secrets);
  return quoted === "" ? "" : ` ${who} ${quoted}`;
}

// Whether a cause contains the API key, which some servers repeat. Such a cause is dropped: loggers would print the key.
function holdsKey(cause: unknown, provider: Provider): boolean {
  if (!(cause instanceof Error)) return false;
  const text = inspect(cause, { depth: 6 });
  return maskKeys(text, provider.secrets) !== text;
}

const overflowCodes = new Set(["context_length_exceeded", "exceed_context_size_error", "request_too_large"]);

const overflowWordings: readonly RegExp[] = [
  // Anthropic
  /prompt is too long/i,
  /exceed context limit/i,
  // OpenAI (chat, then Responses), vLLM, DeepSeek, OpenRouter, Mistral, xAI
  /maximum context length/i,
  /exceeds the context window/i,
  /maximum prompt length/i,
  /longer than the maximum model length/i,
  // The request exceeds the provider's token limit per minute: waiting does not help, but a shorter request does.
  /request too large for .*must be reduced/i,
  // llama.cpp, Ollama, LM Studio
  /exceeds? the available context size/i,
  /exceed(?:s|ed) (?:the |max(?:imum)? )?context length/i,
  /(?:greater|loaded) (?:than|with) (?:the )?context length/i,
  // Gemini
  /exceeds the maximum number of tokens/i,
  // Bedrock, Groq, Copilot
  /input is too long for/i,
  /reduce the length of the (?:messages|prompt|input)/i,
  /prompt token count of \d+ exceeds/i,
];

// Wordings that name the window: the captured number is the limit, not the size of the request.
const windowWordings: readonly RegExp[] = [
  /prompt is too long: [\d,]+ tokens > ([\d,]+) maximum/i,
  /exceed context limit: [\d,]+ \+ [\d,]+ > ([\d,]+)/i,
  /maximum (?:context|prompt|model) length (?:is|of) ([\d,]+)/i,
  /([\d,]+) maximum context length/i,
  /available context size \(([\d,]+) tokens\)/i,
  /context length of (?:only )?([\d,]+)/i,
  /maximum number of tokens allowed \(([\d,]+)\)/i,
  /prompt token count of [\d,]+ exceeds the limit of ([\d,]+)/i,
];

/** Returns the window in tokens that an error names; null if it names none. */
function windowIn(text: string): number | null {
  const found = windowWordings.flatMap((wording) => wording.exec(text)?.[1] ?? []);
  return found[0] === undefined ? null : Number(found[0].replaceAll(",", ""));
}

/** Whether a refusal means that the request is longer than the model's window. */
export function isOverflow(text: string, codes: readonly string[]): boolean {
  return codes.some((code) => overflowCodes.has(code)) || overflowWordings.some((wording) => wording.test(text));
}

/** The methods of response headers that are used here. */
export interface HeaderReader {
  get(name: string): string | null;
}

/** Returns the milliseconds to wait, from `retry-after-ms` or `retry-after` (seconds or an HTTP date), or undefined. */
export function readRetryAfterMs(headers: HeaderReader | undefined, now: Date): number | undefined {
  const milliseconds = positiveNumber(headers?.get("retry-after-ms"));
  if (milliseconds !== undefined) return Math.ceil(milliseconds);
  const value = headers?.get("retry-after");
  const seconds = positiveNumber(value);
  if (seconds !== undefined) return Math.ceil(seconds * 1000);
  const date = Date.parse(value ?? "");
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}

function positiveNumber(value: string | null | undefined): number | undefined {
  const text = value?.trim();
  return text !== undefined && /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
}

export interface Provider {
  /** The prefix of a model's name: `anthropic`, `openai`. */
  readonly id: string;
  /** The name shown to people: `Anthropic`, `The server at localhost:11434`. */
  readonly title: string;
  readonly model: string;
  readonly keyOption: string;
  /** The forms of the API key, which no error message may contain. */
  readonly secrets: readonly string[];
}

export interface ProviderFacts extends Pick<Provider, "id" | "model" | "keyOption"> {
  /** The provider's name; it is the title if the provider's default address is used. */
  readonly brand: string;
  readonly apiKey: string;
  readonly baseUrl?: string | undefined;
}

/** Returns the description of a model's provider; a base URL is shown as its host and port only. */
export function describeProvider(facts: ProviderFacts): Provider {
  const { id, brand, model, keyOption, apiKey, baseUrl } = facts;
  return {
    id,
    title: baseUrl === undefined ? brand : titleAt(baseUrl),
    model,
    keyOption,
    secrets: [apiKey, apiKey.trim()].filter((secret) => secret.length > 3),
  };
}

function titleAt(baseUrl: string): string {
  return titleOfServer(URL.canParse(baseUrl) ? new URL(baseUrl).host : "the configured base URL");
}

const maxShownLength = 300;
const keyLike = /\b(?:sk|pk|rk|gsk|xai)[-_][\w*.…-]{3,}|\b(Bearer|Basic)\s+[\w.~+/=*-]{6,}/gi;
/** The credentials in a URL. Greedy, because a password may contain an @. */
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
