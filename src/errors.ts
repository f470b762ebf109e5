// All errors that Palimpsest throws, and the catalogue of their codes.
// Invariant: an error is either for the model (ToolError) or for the operator (all others), never both; its message states
// the expected value, the actual value and what to do, and contains no secret and no user text.

/** The catalogue: each code with its meaning. Documented in docs/errors.md, pinned by a test. */
export const errorCodes = {
  config_invalid: "A flag, an environment variable or the configuration file is invalid.",
  agent_not_found: "No agent with that name or id is visible to this user.",
  grant_ended: "The agent is no longer shared with this user, whose conversations and memory with it can only be read.",
  offer_not_found: "No agent with that name or id is offered to this user.",
  agent_exists: "An agent with that name already exists.",
  conversation_not_found: "No conversation with that id is visible to this user.",
  user_not_found: "Nothing was ever stored for a user with that id.",
  message_not_found: "The conversation has no message with that id.",
  passage_not_found: "The user has no passage with that id.",
  memory_type_unregistered: "An agent's memory class is not registered with this runtime.",
  memory_definition_invalid: "The definition of a memory class or of one of its modules is invalid.",
  tool_definition_invalid: "The definition of a tool is invalid: its name, its description or a parameter.",
  turn_budget_exceeded: "The turn used its budget of tokens or money; completed work is kept.",
  user_limit_reached: "The user has reached a limit of tokens or money per day, or of concurrent turns.",
  nothing_to_resume: "The last turn of the conversation is complete.",
  pop_refused: "Fewer messages can be popped than requested.",
  summary_refused: "There are too few messages to summarize.",
  synopsis_refused: "No synopsis was made: there are no memories, another process makes it, or the model failed.",
  summary_failed: "The summarizer of a message buffer failed or returned nothing; its messages wait for the next try.",
  buffer_invalid: "The JSON of a message buffer is damaged or does not have the expected shape.",
  node_memory_invalid: "A node memory is damaged, of the wrong shape, or from a newer version; it was not changed.",
  dependent_edits: "Later edits of the same module depend on the edits to revert; nothing was changed.",
  step_not_found: "The conversation has had fewer model calls.",
  turn_not_found: "The conversation had no such turn, or its events are no longer stored.",
  tool_source_invalid: "The source code of a tool cannot be read, or declares no function that can be a tool.",
  sandbox_off: "Python tools need the sandbox, which is off.",
  tool_exists: "The user already has a stored tool of that name or id, or the name is that of a built-in tool.",
  tool_not_found: "The user has no stored tool with that name or id.",
  key_not_found: "The user has no key with that id.",
  schedule_not_found: "The user has no schedule with that id.",
  module_exists: "The user has a module of that id, or an agent has another module of that label.",
  module_unknown: "The user has no module with that id.",
  revision_not_found: "The module has no revision with that number.",
  undo_refused: "The revision was reverted before or is a revert itself, or there is no compaction to undo.",
  runtime_closing: "The runtime is closing and accepts no new turn.",
  agent_busy: "Another process is running a turn in this conversation, or has just changed it.",
  lease_lost: "Another process took over this conversation because its lease was not renewed in time.",
  input_taken_over: "Another process took over this input because its sender was suspended.",
  approval_pending: "A tool call waits for approval or for a result, and the turn cannot continue without it.",
  approval_not_found: "No tool call with that id waits for approval: there is none, or it was decided before.",
  result_not_awaited: "No tool call with that id waits for a result: there is none, or it was answered before.",
  message_refused: "The conversation cannot continue from that message.",
  input_invalid: "A message or another argument of a request is empty, out of range or of the wrong shape.",
  file_unreadable: "A file to attach is missing, empty, not a file, or not readable; nothing was sent.",
  file_invalid: "A file to attach is damaged, or is not of the type that it claims; nothing was sent.",
  file_too_large: "A file to attach, or the sum of a message's files, exceeds its limit; nothing was sent.",
  attachment_not_found: "A file of a message is not stored, or belongs to another message; nothing was written.",
  source_exists: "The user already has a source with that name.",
  source_not_found: "The user has no source with that name or id.",
  source_file_unreadable: "A file of a source cannot be read; the other files are loaded.",
  input_repeated: "An input with this idempotency key was accepted before; nothing was written again.",
  model_auth: "The provider rejected the key.",
  model_rate_limit: "The provider limits the rate of requests.",
  model_unavailable: "The provider is overloaded, failing or unreachable.",
  model_timeout: "The provider did not answer in time.",
  model_request: "The provider rejected the request.",
  model_protocol: "The provider's response violated its protocol or was truncated.",
  model_reply_limit: "A model's reply exceeded a limit of time or size; it was discarded.",
  context_overflow: "The request is longer than the model's window.",
  embedding_failed: "The embedder failed.",
  embedder_unavailable: "The embedder failed, or is not called for a while after failures.",
  embedding_refused: "The embedder accepts other texts but not this one; searches find it by its words only.",
  reembedding_refused: "Another re-embedding's vectors are in the way, or there is nothing to roll back to.",
  embedding_dimensions_mismatch: "A vector does not have the number of dimensions of its table.",
  tool_failed: "A tool refused its call or failed; the text is for the model.",
  module_not_found: "Core memory has no module with that label.",
  module_limit: "An edit would make a module longer than its limit.",
  module_invalid: "The text of a module does not match the schema in its memory class.",
  module_read_only: "The module is read-only.",
  module_append_only: "The module's owner lets this user only add text to its end.",
  edit_mismatch: "The text to replace is not in the module.",
  revision_conflict: "The module was changed concurrently since it was read.",
  store_failed: "The database failed or rejected a statement.",
  store_unreachable: "The database cannot be reached.",
  store_extension_missing: "The PostgreSQL server does not have the extension pgvector.",
  store_schema_newer: "The database was written by a newer version of Palimpsest.",
  store_schema_unknown: "The database has a migration that this version of Palimpsest does not have.",
  data_folder_invalid: "The data folder cannot be used.",
  store_full: "The disk of the database is full.",
  store_locked: "Another process holds the data folder and cannot be contacted.",
  objects_failed: "The folder or service that stores objects is unreachable or rejected a request.",
  backup_invalid: "The backup file cannot be read or is not a backup of Palimpsest.",
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** Optional details of an error. */
export interface ErrorDetails {
  readonly cause?: unknown;
  /** The path of the argument or option that is invalid. */
  readonly field?: string;
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
}

/** The environment, a flag or the configuration file is invalid. The message names the key. Exit code 2. */
export class ConfigError extends RuntimeError {
  constructor(message: string, facts?: ErrorDetails) {
    super("config_invalid", message, facts);
  }
}

/** A request to the runtime cannot be performed: an unknown agent, too few messages to pop, and so on. */
export class RequestError extends RuntimeError {}

/** A file of a source cannot be read. The message is only the reason, and contains no text of the file. */
export class SourceFileError extends RequestError {
  constructor(reason: string, facts?: ErrorDetails) {
    super("source_file_unreadable", reason, facts);
  }
}

/** A limit of a user, and when it may allow another turn. */
export interface ReachedLimit {
  readonly limit: "daily-tokens" | "daily-dollars" | "concurrent-turns";
  /** Milliseconds until the next day for limits per day; for concurrent turns a suggestion. */
  readonly retryAfterMs: number;
  /** States the limit, the use and the wait in words. */
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
}

/** Edits of one module to revert, and the later edits that depend on them, as revision numbers. */
export interface DependentEdits {
  readonly label: string;
  readonly revisions: readonly number[];
  readonly later: readonly number[];
}

/** Reverting would have lost later edits of the same modules. Nothing was changed. */
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
}

export class ModelAuthError extends ModelError {
  constructor(message: string, facts: ModelErrorDetails) {
    super("model_auth", message, { ...facts, retryable: false });
  }
}

export class ModelRateLimitError extends ModelError {
  constructor(message: string, facts: ModelErrorDetails) {
    super("model_rate_limit", message, { ...facts, retryable: true });
  }
}

export class ModelUnavailableError extends ModelError {
  constructor(message: string, facts: ModelErrorDetails) {
    super("model_unavailable", message, { ...facts, retryable: true });
  }
}

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

/** The response violated the provider's protocol, or the stream was truncated. */
export class ModelProtocolError extends ModelError {
  constructor(message: string, facts: ModelErrorDetails) {
    super("model_protocol", message, { ...facts, retryable: true });
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
  constructor(message: string, facts: ModelErrorDetails) {
    super("context_overflow", message, { ...facts, retryable: false });
  }
}

/** The embedder failed. Inserts and searches continue lexically. */
export class EmbeddingError extends RuntimeError {
  constructor(
    code: "embedding_failed" | "embedder_unavailable" | "embedding_refused" | "embedding_dimensions_mismatch",
    message: string,
    facts?: ErrorDetails,
  ) {
    super(code, message, facts);
  }
}

/** The only error whose text goes to the model: it states the problem and what to do next. */
export class ToolError extends RuntimeError {
  constructor(message: string, facts?: ErrorDetails & { readonly code?: ErrorCode }) {
    super(facts?.code ?? "tool_failed", message, facts);
  }
}

export class ModuleNotFoundError extends ToolError {
  constructor(label: string, available: readonly string[]) {
    super(`No section of core memory is named "${label}". Available sections: ${available.join(", ") || "none"}.`, {
      code: "module_not_found",
    });
  }
}

export class ModuleLimitError extends ToolError {
  /** Both count Unicode code points. */
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

export class EditMismatchError extends ToolError {
  constructor(message: string) {
    super(message, { code: "edit_mismatch" });
  }
}

/** A failed compare-and-swap. The model can retry: the next prompt shows the current module. */
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
      | "store_locked"
      | "objects_failed"
      | "backup_invalid",
    message: string,
    facts?: ErrorDetails,
  ) {
    super(code, message, facts);
  }
}
