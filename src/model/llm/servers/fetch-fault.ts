// Explains why a request failed, from the error that `fetch` throws: its own text is "fetch failed", and the reason is
// its cause.
// Invariant: the result contains nothing of the request.
import { messageOf } from "../../../base/error-message.ts";
import { systemErrorCode } from "../../../base/system-error.ts";

export interface FetchFault {
  /** Code of the operating system, the HTTP parser or the TLS library; `unknown` if there is none. */
  readonly code: string;
  /** Text to append after a colon. */
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

/** Refusals of fetch itself, by their text: they have no code. */
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
  // A host with several addresses fails with one error for each.
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
