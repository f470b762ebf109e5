// Describes a host: one store, with embedders and models, that serves many users.
// Invariant: types only; counters and health contain no text of a user.
import type { StopReason } from "../agent/events.ts";
import type { ErrorCode } from "../base/errors.ts";
import type { ConnectionCounts, StoreMaintenance } from "../store/port/store.ts";
import type { Usage } from "../base/message/message.ts";
import type { HostKeys } from "./keys/contract.ts";
import type { McpOperations } from "./mcp.ts";
import type { CloseOptions, UserRuntime } from "./runtime.ts";

/** Counts of the turns of all users. Each turn that was requested since the host was opened is in one of the five fields. */
export interface TurnCounts {
  /** Turns that wait now, for another turn of the conversation or for its lease. */
  readonly waiting: number;
  /** Turns that run now. */
  readonly running: number;
  /** Turns that did not begin because of a limit, a busy conversation or invalid input. */
  readonly refused: number;
  /** Turns that began and have no `turn-end`: they threw an error, or the reader of their events left. */
  readonly failed: number;
  readonly ended: Readonly<Record<StopReason, number>>;
}

/** Numbers for metrics, read without a query: each is the present number, or a count since the host was opened. */
export interface HostCounters {
  /** Number of users with a runtime in use now. */
  readonly users: number;
  readonly turns: TurnCounts;
  /** Model calls of all ended turns. */
  readonly modelCalls: number;
  /** Tokens of all ended turns. `cachedInputTokens` are part of `inputTokens`. */
  readonly tokens: Usage;
  /** The current numbers of database connections, and of transactions that wait for a connection. */
  readonly connections: ConnectionCounts;
  readonly backFill: BackFillCounts;
}

export interface BackFillCounts {
  /** Number of users with texts that are being embedded now. */
  readonly running: number;
  /** Number of vectors that were made in the background. */
  readonly vectors: number;
}

export interface HostHealth {
  /**
   * `ok`; `degraded`: turns work, but the embedder does not, so memory is searched by words only; `failed`: the database
   * cannot be used, or the host is closing.
   */
  readonly status: "ok" | "degraded" | "failed";
  readonly isClosing: boolean;
  readonly database: {
    readonly isReachable: boolean;
    /** Milliseconds that a statement took, with the wait for a connection; null if the database is unreachable. */
    readonly latencyMs: number | null;
    /** Why the database is unreachable. */
    readonly error?: { readonly code: ErrorCode; readonly message: string };
  };
  /** Null if no embedder is configured. `retryMs`: milliseconds until the next attempt after failures; else 0. */
  readonly embedder: { readonly name: string; readonly isAvailable: boolean; readonly retryMs: number } | null;
  readonly backFill: BackFillCounts;
}

export interface HealthOptions {
  /** Milliseconds after which the database counts as unreachable. Default 2,000. */
  readonly timeoutMs?: number;
}

export interface ContinueTurnsOptions {
  /** Ends `continueTurns`, but no running turn. Default: `continueTurns` ends when the host is closed. */
  readonly signal?: AbortSignal;
}

export interface Host extends StoreMaintenance {
  /**
   * Returns the runtime of a user. Opens nothing, so it takes only microseconds. Until the runtime is closed, every call
   * for the user returns the same runtime, which all requests of the user share. Closing it frees its memory. Throws
   * RequestError `input_invalid` for an invalid id, and ConfigError on a closed host.
   */
  forUser(userId: string): UserRuntime;
  /**
   * Until the signal is aborted or the host is closed, continues the unfinished turns of all users, and begins the turns of
   * queued inputs whose senders have ended. Leaves out turns that began on a host that had not called `continueTurns`. A
   * turn that cannot be continued gets an end. Any number of processes can do this at once. After this call, other hosts can
   * continue the turns of this host.
   */
  continueTurns(options?: ContinueTurnsOptions): Promise<void>;
  readonly keys: HostKeys;
  /** The MCP servers, which all users share. */
  readonly mcp: McpOperations;
  /** Returns the health. Sends one statement to the database, and nothing to the embedder. Never throws. */
  health(options?: HealthOptions): Promise<HostHealth>;
  /** Returns numbers for metrics, without a query. */
  counters(): HostCounters;
  /** Closes all runtimes concurrently, each like `UserRuntime.close`, and then the store, the embedders and the models. */
  close(options?: CloseOptions): Promise<void>;
}
