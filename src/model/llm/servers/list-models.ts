// Requests a server's list of models, in the format of OpenAI's list, which other providers also use.
// Invariant: error messages contain no part of the request; the size of an answer is bounded for every server; an answer that
// is not JSON is read as null.
import * as z from "zod";
import { parseJson } from "../../../base/json-values.ts";
import { messageOf, systemErrorCode } from "../../../base/thrown-values.ts";
import {
  ModelAuthError,
  type ModelError,
  ModelProtocolError,
  ModelRateLimitError,
  ModelRequestError,
  ModelTimeoutError,
  ModelUnavailableError,
} from "../../../base/errors.ts";
import { stripControl } from "../../../base/terminal-text.ts";
import type { ModelListing } from "../model-provider.ts";

export interface ModelServer {
  /** The prefix of a model's name, for errors. */
  readonly provider: string;
  /** The name for people, without credentials: `OpenAI`, `The server at localhost:11434`. */
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
 * Returns the names of models, newest first if the server states their dates, otherwise in the server's order. Throws
 * ModelError, and the signal's reason if it is aborted.
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
  /** The JSON value; null for an answer that is too long or not JSON, and for a refusal. */
  readonly body: unknown;
}

/** Sends the request. Throws ModelUnavailableError; its cause is only an error code and cannot quote the request. */
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
        ? "The server requires a key."
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
    `${title} answered the request for its models with an error (${status}). Check the address: \`/models\` is appended to it, and it often ends in \`/v1\`.`,
    facts,
  );
}

interface FetchFault {
  /** Code of the operating system, the HTTP parser or the TLS library; `unknown` if there is none. */
  readonly code: string;
  /** The reason, as text to append to a message after a colon. */
  readonly reason: string;
}

function describeFetchFault(error: unknown): FetchFault {
  for (let at = error, depth = 0; at !== undefined && depth < 5; at = causeOf(at), depth += 1) {
    const code = systemErrorCode(at);
    if (code !== undefined) return { code, reason: reasonFor(code) };
    const refusal = refusals[messageOf(at)];
    if (refusal !== undefined) return { code: "refused", reason: refusal };
  }
  return { code: "unknown", reason: "the request failed" };
}

/** Reasons for which fetch itself refuses a request, by the error's text, because these errors have no code. */
const refusals: Readonly<Record<string, string>> = {
  "bad port": "its port is reserved for another protocol, and fetch does not use it",
  "unexpected redirect": "it redirects to another address",
};

function reasonFor(code: string): string {
  if (code.startsWith("HPE_")) return "the server does not speak HTTP";
  return reasons[code] ?? code;
}

function causeOf(error: unknown): unknown {
  if (typeof error !== "object" || error === null) return undefined;
  // A host with several addresses fails with one error for each address; the first one is enough.
  if ("errors" in error && Array.isArray(error.errors) && error.errors.length > 0) return error.errors[0] as unknown;
  return "cause" in error ? error.cause : undefined;
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing is listening there",
  ECONNRESET: "the connection was closed",
  ENOTFOUND: "the host name is unknown, or there is no network",
  EAI_AGAIN: "the host name cannot be resolved now, or there is no network",
  ENETUNREACH: "the network is unreachable",
  EHOSTUNREACH: "the host is unreachable",
  ETIMEDOUT: "it does not answer",
  UND_ERR_CONNECT_TIMEOUT: "it does not answer",
  UND_ERR_SOCKET: "the connection was closed",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is not trusted",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is not trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate is not trusted",
  CERT_HAS_EXPIRED: "its certificate has expired",
};

/** Maximum bytes of an answer. The longest known list of models has half a million bytes. */
const maxBytes = 8_000_000;

/** Returns the JSON value of an answer; null if it is too long or not JSON. */
export async function readJson(response: Response): Promise<unknown> {
  const text = await readBounded(response);
  return text === null ? null : (parseJson(text) ?? null);
}

/** Returns the text of an answer; null if it is too long. */
async function readBounded(response: Response): Promise<string | null> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of response.body ?? []) {
    length += piece.length;
    if (length > maxBytes) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}
