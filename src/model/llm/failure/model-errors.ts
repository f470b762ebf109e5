// Converts wire failures to typed errors, and decides which are retryable.
// Invariant: a message is one line, says what to do, and never contains a key or sent content.
import { inspect } from "node:util";
import type { ModelErrorDetails } from "../../../base/errors.ts";
import {
  ContextOverflowError,
  ModelAuthError,
  type ModelError,
  ModelProtocolError,
  ModelRateLimitError,
  ModelRequestError,
  ModelTimeoutError,
  ModelUnavailableError,
} from "../../../base/errors.ts";
import { isOverflow, windowIn } from "./overflow-wording.ts";
import type { Provider } from "./provider.ts";
import { maskKeys, quoteProvider } from "./provider-text.ts";
import { type HeaderReader, readRetryAfterMs } from "./retry-after.ts";

/**
 * A failure as an adapter saw it. `answer`: the provider refused; `request`: nothing could be sent; `stream`: the reply
 * was truncated.
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

/** Returns the typed error of a failure. */
export function toModelError(failure: ProviderFailure, provider: Provider, now: Date): ModelError {
  const { title } = provider;
  const facts = factsOf(failure, provider);
  const because = saying(failure, provider, "The reason");
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
    `${provider.title} limits the rate of requests (429). Wait, or ask it for a higher limit.${said}`,
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

function saying(failure: ProviderFailure, provider: Provider, who = "It said"): string {
  const quoted = quoteProvider(failure.text, provider.secrets);
  return quoted === "" ? "" : ` ${who}: ${quoted}`;
}

// Some servers repeat the key in their error; the cause is dropped then, since loggers print causes unmasked.
function holdsKey(cause: unknown, provider: Provider): boolean {
  if (!(cause instanceof Error)) return false;
  const text = inspect(cause, { depth: 6 });
  return maskKeys(text, provider.secrets) !== text;
}
