// Every error that Palimpsest throws, and the catalogue of their codes.
// Invariant: an error is either for the model (ToolError) or for the operator (all others), never both;
// its message says what was expected, what came and what to do, and never holds a secret or a person's text.

/** The catalogue: each code and what it means. Documented in docs/errors.md, pinned by a test. */
export const errorCodes = {
  config_invalid: "A flag, an environment variable or the configuration file is wrong.",
  agent_not_found: "No agent of that name or id is visible to this user.",
  grant_ended: "The agent is not shared with this user any more; what the user has with it can only be read.",
  offer_not_found: "No agent of that name or id is offered to this user.",
  agent_exists: "An agent of that name exists already.",
  conversation_not_found: "No conversation of that id is visible to this user.",
  user_not_found: "Nothing was ever kept for a user of that id.",
  message_not_found: "No message of that id is in this conversation.",
  memory_type_unregistered: "An agent's memory class is not registered with this runtime.",
  memory_definition_invalid: "A memory class or a module of it is defined wrongly.",
  tool_definition_invalid: "A tool is defined wrongly: its name, its description or a parameter of it.",
  turn_budget: "A turn has used what it may, in tokens or in money; what was done is kept.",
  nothing_to_resume: "The last turn of the conversation came to its end.",
  pop_refused: "Fewer messages can be popped than was asked for.",
  summary_refused: "There are too few messages to summarize.",
  synopsis_refused: "A synopsis was not made: there are no memories, somebody else makes it, or the model failed.",
  summary_failed: "The summarizer of a message buffer failed or gave nothing; its messages wait.",
  buffer_invalid: "The JSON of a message buffer is broken or not of the expected shape.",
  node_memory_invalid:
    "A node memory is damaged, not of the expected shape, or of a newer version; it was left as it is.",
  dependent_edits: "Later edits of the same module depend on the edits to revert; nothing was changed.",
  step_not_found: "A conversation has not had so many model calls.",
  revision_not_found: "A module has no revision of that number.",
  undo_refused: "A revision cannot be reverted: it was already, or it reverts another; or no compaction can be undone.",
  runtime_closing: "The runtime is being closed and begins no new turn.",
  agent_busy: "Somebody else is stepping this conversation, or has just changed it.",
  lease_lost: "Somebody else has taken this conversation over, because its lease was not renewed in time.",
  input_adopted: "Another process took this input up, because its sender had stood still.",
  approval_pending: "A tool call waits for approval, so the turn cannot go on without a decision.",
  approval_not_found: "No tool call of that id waits for approval: there is none, or it was decided about.",
  message_refused: "A conversation cannot go on from that message.",
  input_invalid: "A message to an agent is empty or not of the expected shape.",
  file_unreadable: "A file to attach is missing, empty, no file, or may not be read; nothing was sent.",
  file_invalid: "A file to attach is damaged, or is not what it is said to be; nothing was sent.",
  file_too_large: "A file to attach, or all files of a message together, are larger than is allowed; nothing was sent.",
  attachment_not_found: "A file of a message is not stored, or stands on another message; nothing was written.",
  source_exists: "A source of that name is this user's already.",
  source_not_found: "No source of that name or id is this user's.",
  source_file_unreadable: "A file of a source cannot be read; the other files are loaded.",
  input_repeated: "An input with this idempotency key was accepted before; nothing was written again.",
  model_auth: "The provider refused the key.",
  model_rate_limit: "The provider limits the rate of requests.",
  model_unavailable: "The provider is overloaded, failing or out of reach.",
  model_timeout: "The provider did not answer in time.",
  model_request: "The provider refused the request.",
  model_protocol: "The provider's answer broke its own protocol, or was cut off.",
  model_reply_limit: "A model's reply took longer, or was larger, than is allowed; nothing of it was kept.",
  context_overflow: "The request is longer than the model's window.",
  embedding_failed: "The embedder failed.",
  embedder_unavailable: "The embedder failed, or is not called for a while because it has.",
  embedding_refused: "The embedder takes other texts and not this one; it is found by its words alone.",
  reembedding_refused:
    "What another re-embedding builds or keeps stands in the way, or there is nothing to go back to.",
  embedding_width: "A vector has another number of dimensions than its table.",
  tool_failed: "A tool refused or could not do what was asked; the text is for the model.",
  module_not_found: "Core memory has no module with that label.",
  module_limit: "An edit would make a module longer than its limit.",
  module_invalid: "The text of a module does not fit the schema that its memory class has for it.",
  module_read_only: "The module is read-only.",
  edit_mismatch: "The text to replace is not in the module.",
  revision_conflict: "The module was changed by someone else since it was read.",
  store_failed: "The database failed or refused a statement.",
  store_unreachable: "The database cannot be reached.",
  store_extension_missing: "The PostgreSQL server has no pgvector.",
  store_schema_newer: "The database was written by a newer version of Palimpsest.",
  store_schema_unknown: "The database has a migration that this version of Palimpsest does not have.",
  store_folder: "The data folder cannot be used.",
  store_full: "The disk of the database is full.",
  store_locked: "The data folder is held by a process that cannot be asked.",
  objects_failed: "The folder or service that keeps objects cannot be reached or refused a request.",
  backup_invalid: "The backup file cannot be read or is not one of ours.",
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** What an error may carry besides its message. */
export interface ErrorDetails {
  readonly cause?: unknown;
}

/** Base of all errors thrown by Palimpsest. `code` is stable; the message is for people and may change. */
export abstract class RuntimeError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, facts: ErrorDetails = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = new.target.name;
    this.code = code;
  }
}

/** Bad environment, flags or configuration file. The message names the key and what was expected. Exit code 2. */
export class ConfigError extends RuntimeError {
  constructor(message: string, facts?: ErrorDetails) {
    super("config_invalid", message, facts);
  }
}

/** A request to the runtime that cannot be carried out: an unknown agent, too few messages to pop, and so on. */
export class RequestError extends RuntimeError {}

/** A file of a source cannot be read. The message is the reason alone, and holds none of the file's text. */
export class SourceFileError extends RequestError {
  constructor(reason: string, facts?: ErrorDetails) {
    super("source_file_unreadable", reason, facts);
  }
}

/** Edits of one module that were to be reverted, and the later edits that depend on them. Numbers are revisions. */
export interface DependentEdits {
  readonly label: string;
  readonly revisions: readonly number[];
  readonly later: readonly number[];
}

/** Taking back would have lost later edits of the same modules. Nothing was changed. */
export class DependentEditsError extends RequestError {
  readonly edits: readonly DependentEdits[];

  constructor(edits: readonly DependentEdits[]) {
    const each = edits.map(
      ({ label, revisions, later }) =>
        `${nameRevisions(revisions)} of "${label}" (on which ${nameRevisions(later)} of it ${later.length === 1 ? "stands" : "stand"})`,
    );
    super(
      "dependent_edits",
      `Nothing was changed: later edits stand on ${each.join(" and on ")}. ` +
        "Leave the edits as they are (keep), or take the later ones back as well (force).",
    );
    this.edits = edits;
  }
}

function nameRevisions(revisions: readonly number[]): string {
  return `revision${revisions.length === 1 ? "" : "s"} ${revisions.join(", ")}`;
}

/** A memory class or a tool is defined wrongly. Thrown where it is defined or registered, never in a turn. */
export class DefinitionError extends RuntimeError {
  constructor(
    code: "memory_type_unregistered" | "memory_definition_invalid" | "tool_definition_invalid",
    message: string,
  ) {
    super(code, message);
  }
}

export interface ModelErrorDetails extends ErrorDetails {
  /** Which provider, as in a model's name: `anthropic`, `openai`. */
  readonly provider: string;
  /** The HTTP status, when there was one. */
  readonly status?: number;
  /** How long the provider asks to wait, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** A model call failed. Whether to try again was decided once, by the adapter that saw the wire. */
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

/** The provider refused the request as such (400, 404, 422): trying again would not help. */
export class ModelRequestError extends ModelError {
  constructor(message: string, facts: ModelErrorDetails) {
    super("model_request", message, { ...facts, retryable: false });
  }
}

/** The answer broke the provider's own protocol, or the stream was cut. */
export class ModelProtocolError extends ModelError {
  constructor(message: string, facts: ModelErrorDetails) {
    super("model_protocol", message, { ...facts, retryable: true });
  }
}

/** A reply exceeded a limit: its time, its size or its number of tool calls. Another call would cost the same again. */
export class ModelReplyLimitError extends ModelError {
  constructor(message: string, facts: ModelErrorDetails) {
    super("model_reply_limit", message, { ...facts, retryable: false });
  }
}

/** The request is longer than the window. Handled by compaction, not by trying again. */
export class ContextOverflowError extends ModelError {
  constructor(message: string, facts: ModelErrorDetails) {
    super("context_overflow", message, { ...facts, retryable: false });
  }
}

/** The embedder failed. Inserts and searches go on lexically. */
export class EmbeddingError extends RuntimeError {
  constructor(
    code: "embedding_failed" | "embedder_unavailable" | "embedding_refused" | "embedding_width",
    message: string,
    facts?: ErrorDetails,
  ) {
    super(code, message, facts);
  }
}

/** The only error whose text goes to the model: it says what was wrong and what to do next. */
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
        `Shorten what "${label}" holds, or move less important text to archival memory with archival_memory_insert.`,
      { code: "module_limit" },
    );
    this.limit = limit;
    this.length = length;
  }
}

/** The text of a module that has a schema does not fit it. */
export class ModuleInvalidError extends ToolError {
  constructor(label: string, problem: string, advice: string) {
    super(`Edit failed: "${label}" would not fit its fields: ${problem}. Nothing was changed. ${advice}`, {
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

export class EditMismatchError extends ToolError {
  constructor(message: string) {
    super(message, { code: "edit_mismatch" });
  }
}

/** A lost compare-and-swap. The model can retry: the next prompt shows the module as it is now. */
export class RevisionConflictError extends ToolError {
  constructor(label: string) {
    super(
      `Edit failed: "${label}" was changed by someone else meanwhile. Nothing was changed. Read its new content in core memory and try again.`,
      { code: "revision_conflict" },
    );
  }
}

/** The database failed. The message never contains parameters or a person's text; `cause` has the driver's code and the names of table and constraint. */
export class StoreError extends RuntimeError {
  constructor(
    code:
      | "store_failed"
      | "store_unreachable"
      | "store_extension_missing"
      | "store_schema_newer"
      | "store_schema_unknown"
      | "store_folder"
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
