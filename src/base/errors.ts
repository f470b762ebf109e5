// Defines all errors that Palimpsest throws. The catalogue of their codes is in error-codes.ts.
// Invariant: an error is either for the model (ToolError) or for the operator (all others), never both; its message
// states the expected value, the actual value and what to do, and contains no secret and no user text.

import type { ErrorCode } from "./error-codes.ts";

export { errorCodes, type ErrorCode } from "./error-codes.ts";

export interface ErrorDetails {
  readonly cause?: unknown;
  /** The path of the argument or option that is invalid. */
  readonly field?: string;
}

/** The facts of an error for programs, in addition to its code, as JSON. The server's answer contains them, too. */
export interface ReportedDetails {
  readonly edits?: readonly DependentEdits[];
  readonly limit?: ReachedLimit["limit"];
  /** The provider of a model whose call failed. */
  readonly provider?: string;
  /** The HTTP status with which the provider answered. */
  readonly status?: number;
}

/** Base of all errors thrown by Palimpsest. `code` is stable; the message is for people and may change. */
export abstract class RuntimeError extends Error {
  readonly code: ErrorCode;
  /** The argument or option that is invalid, as its path in what the caller passed: `modle`, `tools.add[0]`. */
  declare readonly field?: string;

  constructor(code: ErrorCode, message: string, facts: ErrorDetails = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = new.target.name;
    this.code = code;
    if (facts.field !== undefined) this.field = facts.field;
  }

  get details(): ReportedDetails {
    return {};
  }
}

/** The environment, a flag or the configuration file is invalid. The message names the key. Exit code 2. */
export class ConfigError extends RuntimeError {
  constructor(message: string, facts?: ErrorDetails) {
    super("config_invalid", message, facts);
  }
}

/** A request to the runtime cannot be performed: an unknown agent, too few messages to pop, and so on. */
export class RequestError extends RuntimeError {}

/** Returns the error for an argument or option that cannot be accepted. */
export function inputInvalid(message: string): RequestError {
  return new RequestError("input_invalid", message);
}

/** A file of a source cannot be read. The message is only the reason, and contains no text of the file. */
export class SourceFileError extends RequestError {
  constructor(reason: string, facts?: ErrorDetails) {
    super("source_file_unreadable", reason, facts);
  }
}

/** A limit that a user has reached, and when another turn may be allowed. */
export interface ReachedLimit {
  readonly limit: "daily-tokens" | "daily-dollars" | "concurrent-turns";
  /** Milliseconds until another turn may be allowed: until the next day for a daily limit; otherwise only a suggestion. */
  readonly retryAfterMs: number;
  /** States the limit, the use and the wait in one text. */
  readonly text: string;
}

/** A user has reached a limit. Nothing was written. */
export class LimitError extends RequestError {
  readonly limit: ReachedLimit["limit"];
  readonly retryAfterMs: number;

  constructor({ limit, retryAfterMs, text }: ReachedLimit) {
    super("user_limit_reached", `${text} Nothing was written.`);
    this.limit = limit;
    this.retryAfterMs = retryAfterMs;
  }

  override get details(): ReportedDetails {
    return { limit: this.limit };
  }
}

/** Revision numbers of one module: of the edits to revert, and of the later edits that depend on them. */
export interface DependentEdits {
  readonly label: string;
  readonly revisions: readonly number[];
  readonly later: readonly number[];
}

/** Reverting edits would lose later edits of the same modules. Nothing was changed. */
export class DependentEditsError extends RequestError {
  readonly edits: readonly DependentEdits[];

  constructor(edits: readonly DependentEdits[]) {
    const each = edits.map(
      ({ label, revisions, later }) => `${nameRevisions(revisions)} of "${label}" (needed by ${nameRevisions(later)})`,
    );
    super(
      "dependent_edits",
      `Nothing was changed: later edits depend on ${each.join(" and on ")}. ` +
        "Keep all edits (keep), or revert the later ones as well (force).",
    );
    this.edits = edits;
  }

  override get details(): ReportedDetails {
    return { edits: this.edits };
  }
}

function nameRevisions(revisions: readonly number[]): string {
  return `revision${revisions.length === 1 ? "" : "s"} ${revisions.join(", ")}`;
}

/** The definition of a memory class or a tool is invalid. Thrown at its definition or registration, never in a turn. */
export class DefinitionError extends RuntimeError {
  constructor(
    code: "memory_type_unregistered" | "memory_definition_invalid" | "tool_definition_invalid",
    message: string,
    facts?: ErrorDetails,
  ) {
    super(code, message, facts);
  }
}

/** Returns the name of a model's server at an address without credentials, as the subject of a sentence. */
export function titleOfServer(host: string): string {
  return `The server at ${host}`;
}

/** These words precede the text of the operating system or an SDK about a failed call, which often contains addresses. */
export const reasonMark = "The reason:";
/** These words precede the provider's own text. */
export const saidMark = "It said:";

export interface ModelErrorDetails extends ErrorDetails {
  /** The provider, as in a model's name: `anthropic`, `openai`. */
  readonly provider: string;
  /** The HTTP status, if there was a response. */
  readonly status?: number;
  /** The wait that the provider asks for, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** A model call failed. The adapter that received the response decides whether it is retryable. */
export abstract class ModelError extends RuntimeError {
  readonly provider: string;
  readonly retryable: boolean;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, message: string, facts: ModelErrorDetails & { readonly retryable: boolean }) {
    super(code, message, facts);
    this.provider = facts.provider;
    this.retryable = facts.retryable;
    this.status = facts.status;
    this.retryAfterMs = facts.retryAfterMs;
  }

  override get details(): ReportedDetails {
    return { provider: this.provider, ...(this.status === undefined ? {} : { status: this.status }) };
  }
}

/** The provider refused the key, or there is none. */
export class ModelAuthError extends ModelError {
  constructor(message: string, facts: ModelErrorDetails) {
    super("model_auth", message, { ...facts, retryable: false });
  }
}

/** There were too many calls in a short time: a retry can help. */
export class ModelRateLimitError extends ModelError {
  constructor(message: string, facts: ModelErrorDetails) {
    super("model_rate_limit", message, { ...facts, retryable: true });
  }
}

/** The server cannot be reached or fails. */
export class ModelUnavailableError extends ModelError {
  constructor(message: string, facts: ModelErrorDetails) {
    super("model_unavailable", message, { ...facts, retryable: true });
  }
}

/** The server sent nothing for too long. */
export class ModelTimeoutError extends ModelError {
  constructor(message: string, facts: ModelErrorDetails) {
    super("model_timeout", message, { ...facts, retryable: true });
  }
}

/** The provider rejected the request itself (400, 404, 422): a retry would not help. */
export class ModelRequestError extends ModelError {
  constructor(message: string, facts: ModelErrorDetails) {
    super("model_request", message, { ...facts, retryable: false });
  }
}

/**
 * The response violated the provider's protocol, or the stream was truncated: a retry can help, unless `retryable` is false.
 */
export class ModelProtocolError extends ModelError {
  constructor(message: string, facts: ModelErrorDetails & { readonly retryable?: boolean }) {
    super("model_protocol", message, { retryable: true, ...facts });
  }
}

/** A reply exceeded a limit: its time, its size or its number of tool calls. Not retried: another call costs the same. */
export class ModelReplyLimitError extends ModelError {
  constructor(message: string, facts: ModelErrorDetails) {
    super("model_reply_limit", message, { ...facts, retryable: false });
  }
}

/** The request is longer than the window. Handled by compaction, not by a retry. */
export class ContextOverflowError extends ModelError {
  /** The window in tokens, if the server's error names it. */
  readonly window: number | null;

  constructor(message: string, facts: ModelErrorDetails & { readonly window?: number | null }) {
    super("context_overflow", message, { ...facts, retryable: false });
    this.window = facts.window ?? null;
  }
}

/** The embedder failed. Inserts continue without vectors, and searches compare words only. */
export class EmbeddingError extends RuntimeError {
  constructor(
    code: "embedding_failed" | "embedder_unavailable" | "embedding_refused" | "embedding_dimensions_mismatch",
    message: string,
    facts?: ErrorDetails,
  ) {
    super(code, message, facts);
  }
}

/** The only error with a message for the model: the message states the problem and what to do next. */
export class ToolError extends RuntimeError {
  constructor(message: string, facts?: ErrorDetails & { readonly code?: ErrorCode }) {
    super(facts?.code ?? "tool_failed", message, facts);
  }
}

/** An MCP server refused a request because the user is not signed in. Nothing was done. */
export class SignInError extends ToolError {
  /** Whether the user must sign in; if false, a later attempt may succeed without the user. */
  readonly needsUser: boolean;

  constructor(message: string, { needsUser, ...facts }: ErrorDetails & { readonly needsUser: boolean }) {
    super(message, facts);
    this.needsUser = needsUser;
  }
}

/** The agent has no module of this name. */
export class ModuleNotFoundError extends ToolError {
  constructor(label: string, available: readonly string[]) {
    super(`No module of core memory is named "${label}". Available modules: ${available.join(", ") || "none"}.`, {
      code: "module_not_found",
    });
  }
}

/** The edited text would be longer than its module allows. */
export class ModuleLimitError extends ToolError {
  /** `limit` and `length` count Unicode code points. */
  readonly limit: number;
  readonly length: number;

  constructor(label: string, limit: number, length: number) {
    super(
      `Edit failed: Exceeds ${limit} character limit (requested ${length}). Nothing was changed. ` +
        `Shorten the text of "${label}", or move less important text to archival memory with archival_memory_insert.`,
      { code: "module_limit" },
    );
    this.limit = limit;
    this.length = length;
  }
}

/** The text of a module does not match the module's schema. */
export class ModuleInvalidError extends ToolError {
  constructor(label: string, problem: string, advice: string) {
    super(`Edit failed: "${label}" would not match its schema: ${problem}. Nothing was changed. ${advice}`, {
      code: "module_invalid",
    });
  }
}

/** The module cannot be edited. */
export class ModuleReadOnlyError extends ToolError {
  constructor(label: string) {
    super(`Edit failed: "${label}" is read-only and cannot be edited. Nothing was changed.`, {
      code: "module_read_only",
    });
  }
}

export class ModuleAppendOnlyError extends ToolError {
  constructor(label: string) {
    super(`Edit failed: text can only be added to the end of "${label}". Nothing was changed.`, {
      code: "module_append_only",
    });
  }
}

/** The text to replace is not in the module. */
export class EditMismatchError extends ToolError {
  constructor(message: string) {
    super(message, { code: "edit_mismatch" });
  }
}

/** The module was changed after it was read. The model can retry: the next prompt shows the current module. */
export class RevisionConflictError extends ToolError {
  constructor(label: string) {
    super(
      `Edit failed: "${label}" was changed concurrently. This edit was not applied. Read the new content in core memory and try again.`,
      { code: "revision_conflict" },
    );
  }
}

/**
 * The database failed. The message never contains parameters or user text; `cause` has the driver's code and the names of
 * table and constraint.
 */
export class StoreError extends RuntimeError {
  constructor(
    code:
      | "store_failed"
      | "store_unreachable"
      | "store_extension_missing"
      | "store_schema_newer"
      | "store_schema_unknown"
      | "data_folder_invalid"
      | "store_full"
      | "store_closed"
      | "store_timeout"
      | "store_locked"
      | "objects_failed"
      | "backup_invalid",
    message: string,
    facts?: ErrorDetails,
  ) {
    super(code, message, facts);
  }
}
