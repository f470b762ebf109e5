// Why a request could not be made, from what `fetch` throws: its own words are "fetch failed", and the reason is its cause.
// Invariant: nothing of what was sent is in it.
import { messageOf } from "../../base/error-message.ts";
import { systemErrorCode } from "../../base/system-error.ts";

export interface FetchFault {
  /** Of the operating system, of the HTTP parser or of the TLS library; `unknown` when there is none. */
  readonly code: string;
  /** To be put after a colon. */
  readonly reason: string;
}

export function describeFetchFault(error: unknown): FetchFault {
  for (let at = error, depth = 0; at !== undefined && depth < 5; at = causeOf(at), depth += 1) {
    const code = systemErrorCode(at);
    if (code !== undefined) return { code, reason: reasonFor(code) };
    const refusal = refusals[messageOf(at)];
    if (refusal !== undefined) return { code: "refused", reason: refusal };
  }
  return { code: "unknown", reason: "the request failed" };
}

/** What fetch itself refuses, by its words: these have no code. */
const refusals: Readonly<Record<string, string>> = {
  "bad port": "its port is one that is never used for HTTP",
  "unexpected redirect": "it sends callers on to another address",
};

function reasonFor(code: string): string {
  if (code.startsWith("HPE_")) return "what answers there does not speak HTTP";
  return reasons[code] ?? code;
}

function causeOf(error: unknown): unknown {
  if (typeof error !== "object" || error === null) return undefined;
  // A host with several addresses fails with one error for each.
  if ("errors" in error && Array.isArray(error.errors) && error.errors.length > 0) return error.errors[0] as unknown;
  return "cause" in error ? error.cause : undefined;
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "the connection was cut",
  ENOTFOUND: "there is no host of that name, or no network",
  EAI_AGAIN: "the name of the host cannot be looked up now, or there is no network",
  ENETUNREACH: "there is no network to it",
  EHOSTUNREACH: "there is no way to it",
  ETIMEDOUT: "it does not answer",
  UND_ERR_CONNECT_TIMEOUT: "it does not answer",
  UND_ERR_SOCKET: "the connection was cut",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is not trusted",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is not trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate is not trusted",
  CERT_HAS_EXPIRED: "its certificate has expired",
};
