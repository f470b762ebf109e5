// Requests a server's list of models, in the format of OpenAI's list, which other providers also use.
// Invariant: errors are described in words and without the key; the size of an answer is bounded for every server.
import * as z from "zod";
import { stripControl } from "../../../base/terminal-text.ts";
import {
  ModelAuthError,
  type ModelError,
  ModelProtocolError,
  ModelRateLimitError,
  ModelRequestError,
  ModelTimeoutError,
  ModelUnavailableError,
} from "../../../base/errors.ts";
import type { ModelListing } from "../model-provider.ts";
import { describeFetchFault } from "./fetch-fault.ts";
import { readJson } from "./read-json.ts";

export interface ModelServer {
  /** For errors: the prefix of a model's name. */
  readonly provider: string;
  /** For people, without credentials: `OpenAI`, `The server at localhost:11434`. */
  readonly title: string;
  readonly url: string;
  readonly listing: ModelListing;
  readonly key: string | null;
}

export interface ListingOptions {
  /** Time-out for the whole answer in milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const listShape = z.object({
  data: z
    .array(z.object({ id: z.string().min(1).max(500), created: z.number().optional() }))
    .max(5000)
    .nullable(),
});

/**
 * Returns names of models, newest first if the server gives their dates, else in its own order. Throws ModelError, and
 * the signal's reason if it is aborted.
 */
export async function listModels(
  server: ModelServer,
  { timeoutMs, signal }: ListingOptions,
): Promise<readonly string[]> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const { status, body } = await ask(server, AbortSignal.any([signal, timeout]));
    if (status < 200 || status > 299) throw refusal(server, status);
    return namesIn(body, server);
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) throw tooSlow(server, timeoutMs);
    throw error;
  }
}

interface Answer {
  readonly status: number;
  /** Null for an answer that is too long or not JSON, and for a refusal. */
  readonly body: unknown;
}

/** Throws ModelUnavailableError whose cause is only an error code, because other causes could quote the request. */
async function ask(server: ModelServer, signal: AbortSignal): Promise<Answer> {
  const { url, title, provider, listing, key } = server;
  const headers = key === null ? {} : listing.headers(key);
  try {
    // A redirect could send the key to another server.
    const response = await fetch(`${url}${listing.path}`, { headers, redirect: "error", signal });
    if (response.ok) return { status: response.status, body: await readJson(response) };
    await response.body?.cancel();
    return { status: response.status, body: null };
  } catch (error) {
    const { code, reason } = describeFetchFault(error);
    throw new ModelUnavailableError(
      `${title} cannot be reached: ${reason}. Check the address and the network, and that the server runs.`,
      { provider, cause: code },
    );
  }
}

function namesIn(body: unknown, server: ModelServer): readonly string[] {
  const parsed = listShape.safeParse(body);
  if (!parsed.success) throw noList(server);
  const models = [...(parsed.data.data ?? [])].sort((one, other) => (other.created ?? 0) - (one.created ?? 0));
  const names = models.map(({ id }) => id).filter((id) => /^\S+$/u.test(id) && stripControl(id) === id);
  return [...new Set(names)];
}

function noList({ title, provider }: ModelServer): ModelError {
  return new ModelProtocolError(
    `${title} answers, but not with a list of models. Check the address: /models is appended to it, and it often ends in /v1.`,
    { provider },
  );
}

function tooSlow({ title, provider }: ModelServer, timeoutMs: number): ModelError {
  return new ModelTimeoutError(
    `${title} did not list its models within ${timeoutMs} ms. Check the address, or try again later.`,
    { provider },
  );
}

function refusal({ title, provider, key }: ModelServer, status: number): ModelError {
  const facts = { provider, status };
  if (status === 401 || status === 403) {
    const advice =
      key === null
        ? "The server requires one."
        : "Check that it is complete, belongs to the right account, and was not revoked.";
    return new ModelAuthError(
      `${title} refused ${key === null ? "a call without a key" : "the key"} (${status}). ${advice}`,
      facts,
    );
  }
  if (status === 429) {
    return new ModelRateLimitError(`${title} limits the rate of requests (429). Wait a minute, then try again.`, facts);
  }
  if (status >= 500) {
    return new ModelUnavailableError(`${title} is overloaded or failing (${status}). Try again later.`, facts);
  }
  return new ModelRequestError(
    `${title} has no list of models there (${status}). Check the address: /models is appended to it, and it often ends in /v1.`,
    facts,
  );
}
