// Defines how requests fail, independently of the protocol: each API (door) writes a fault in its own form.
import type { AgentEvent, TurnFailure } from "../../agent/events.ts";
import { errorCodes } from "../../base/error-codes.ts";
import { type ErrorCode, LimitError, ModelError, type ReportedDetails, RuntimeError } from "../../base/errors.ts";
import { given } from "../../base/given.ts";
import { withoutAddress } from "../../base/without-address.ts";
import { withoutCalls } from "../../base/without-calls.ts";

/** The codes of faults that the server defines. A fault can have the code of a RuntimeError instead. */
export type ServerCode =
  | "key_missing"
  | "key_invalid"
  | "key_scope"
  | "route_not_found"
  | "host_refused"
  | "request_invalid"
  | "body_too_large"
  | "rate_limited"
  | "client_left"
  | "internal";

export interface InvalidField {
  /** The part of the request and the field of an invalid value, such as `body.name` or `query.limit`. */
  readonly field: string;
  readonly message: string;
}

interface FaultFacts {
  readonly fields?: readonly InvalidField[];
  readonly details?: ReportedDetails;
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

export class Fault extends Error {
  readonly status: number;
  readonly code: ErrorCode | ServerCode;
  readonly fields: readonly InvalidField[];
  readonly details: ReportedDetails;
  /** Milliseconds after which a repeated request may succeed. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, code: ErrorCode | ServerCode, message: string, more: FaultFacts = {}) {
    super(message, { cause: more.cause });
    this.name = "Fault";
    this.status = status;
    this.code = code;
    this.fields = more.fields ?? [];
    this.details = more.details ?? {};
    this.retryAfterMs = more.retryAfterMs;
  }
}

/** Returns the fault for a request with an invalid field. */
export function invalidField(field: string, message: string): Fault {
  return new Fault(400, "request_invalid", message, { fields: [{ field, message }] });
}

/** Returns the fault for a turn that another process will continue, because this process shuts down. */
export function handedOverTurn(): Fault {
  const message =
    "The server is shutting down before the turn has ended. Another server continues the turn: read it again later.";
  return new Fault(503, "runtime_closing", message, { retryAfterMs: 1000 });
}

/** Returns the fault for a request that was not started because the server shuts down. */
export function shuttingDown(): Fault {
  const message = "The server is shutting down. Send the request again later.";
  return new Fault(503, "runtime_closing", message, { retryAfterMs: 1000 });
}

/** Returns the fault for a client that has left before its answer. Its status, nginx's 499, is only for the log. */
export function clientLeft(cause: unknown): Fault {
  return new Fault(499, "client_left", "The client disconnected before it got a response.", { cause });
}

/** The codes by HTTP status, without codes that end in `_not_found` (404) or in `_exists` (409). */
const statuses: Readonly<Record<number, readonly ErrorCode[]>> = {
  400: [
    "import_invalid",
    "input_invalid",
    "config_invalid",
    "file_unreadable",
    "mcp_sign_in_failed",
    "file_invalid",
    "tool_definition_invalid",
    "memory_definition_invalid",
    "tool_source_invalid",
    "sandbox_off",
    "mcp_server_refused",
    "backup_invalid",
  ],
  403: ["grant_ended", "module_read_only", "module_append_only"],
  404: ["module_unknown"],
  409: [
    "agent_busy",
    "lease_lost",
    "input_taken_over",
    "input_forgotten",
    "input_repeated",
    "approval_pending",
    "approval_not_found",
    "result_not_awaited",
    "nothing_to_resume",
    "turn_abandoned",
    "pop_refused",
    "summary_refused",
    "synopsis_refused",
    "consolidation_refused",
    "undo_refused",
    "message_refused",
    "dependent_edits",
    "edit_mismatch",
    "revision_conflict",
    "reembedding_refused",
  ],
  413: ["message_too_long", "file_too_large", "module_limit", "context_overflow"],
  422: [
    "module_invalid",
    "buffer_invalid",
    "node_memory_invalid",
    "source_file_unreadable",
    "tool_failed",
    "output_invalid",
  ],
  429: ["user_limit_reached", "turn_budget_exceeded", "model_rate_limit"],
  502: [
    "model_auth",
    "model_request",
    "model_protocol",
    "model_reply_limit",
    "embedding_failed",
    "embedding_refused",
    "mcp_server_unreachable",
  ],
  503: [
    "runtime_closing",
    "model_unavailable",
    "embedder_unavailable",
    "store_unreachable",
    "store_closed",
    "store_full",
    "store_locked",
    "objects_failed",
  ],
  504: ["model_timeout", "store_timeout"],
};

const statusByCode = new Map(
  Object.entries(statuses).flatMap(([status, codes]) => codes.map((code) => [code, Number(status)] as const)),
);

/** Returns the HTTP status of a code; 500 for codes that only a faulty installation causes, never a client. */
export function statusOf(code: ErrorCode): number {
  const listed = statusByCode.get(code);
  if (listed !== undefined) return listed;
  if (code.endsWith("_not_found")) return 404;
  return code.endsWith("_exists") ? 409 : 500;
}

/** Converts an error to a fault. Any error but a Fault or RuntimeError becomes `internal`, without its message. */
export function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error;
  if (!(error instanceof RuntimeError)) {
    return new Fault(500, "internal", "The server failed. Its log has the request's id and the error.", {
      cause: error,
    });
  }
  // A server closes its store only when it shuts down.
  if (error.code === "store_closed") return shuttingDown();
  const message = clientText(error);
  const fields = error.field === undefined ? [] : [{ field: error.field, message }];
  const retryAfterMs = error instanceof LimitError || error instanceof ModelError ? error.retryAfterMs : undefined;
  const { code, details } = error;
  return new Fault(statusOf(code), code, message, given({ fields, details, retryAfterMs, cause: error }));
}

/** Returns whether the server failed. A fault that a shutdown or the client caused is not a failure. */
export function isFailure({ status, code }: Fault): boolean {
  return status >= 500 && code !== "runtime_closing";
}

/**
 * Returns the text of an error for clients: without names of the library's functions or addresses of models' servers.
 * For a failure of the store, returns a fixed text for its code, because the message contains addresses and files.
 */
export function clientText({ code, message, provider }: TurnFailure): string {
  if (/^(?:store_|objects_failed$)/u.test(code)) return errorCodes[code];
  return withoutAddress(withoutCalls(message), provider);
}

/** Returns an event of a turn for clients, with the texts of failures as `clientText` returns them. */
export function clientEvent(event: AgentEvent): AgentEvent {
  const worded = (text: string): string => withoutAddress(withoutCalls(text));
  if (event.type === "retry") return { ...event, reason: worded(event.reason) };
  if (event.type === "warning") return { ...event, message: worded(event.message) };
  if (event.type !== "turn-end" || event.error === undefined) return event;
  return { ...event, error: { ...event.error, message: clientText(event.error) } };
}
