// A host: one store, its embedders and its models, for many users.
// Invariant: types only; counters and health contain no text of a user.
import type { StopReason } from "../agent/events.ts";
import type { ErrorCode } from "../base/errors.ts";
import type { ConnectionCounts } from "../store/port/store.ts";
import type { Usage } from "../base/message/message.ts";
import type { HostKeys } from "./keys/contract.ts";
import type { McpOperations } from "./mcp.ts";
import type { CloseOptions, StoreMaintenance, UserRuntime } from "./runtime.ts";

/** Counts of the turns of all users. Each turn that was requested since the host was opened is in one of the five. */
export interface TurnCounts {
  /** Turns that wait now: for another turn of the conversation or for its lease. */
  readonly waiting: number;
  /** Turns that run now. */
  readonly running: number;
  /** Turns that did not begin: at a limit, in a busy conversation, or with invalid input. */
  readonly refused: number;
  /** Turns that began and have no `turn-end`: they threw, or their reader left. */
  readonly failed: number;
  readonly ended: Readonly<Record<StopReason, number>>;
}

/**
 * Plain numbers, for metrics, read without a query. Numbers that do not describe the present count from the opening of the
 * host.
 */
export interface HostCounters {
  /** Users whose runtime is in use now. */
  readonly users: number;
  readonly turns: TurnCounts;
  /** Model calls of the ended turns. */
  readonly modelCalls: number;
  /** Tokens of the ended turns. `cachedInputTokens` are part of `inputTokens`. */
  readonly tokens: Usage;
  /** Connections to the database now, with the transactions that wait for one. */
  readonly connections: ConnectionCounts;
  readonly backFill: BackFillCounts;
}

export interface BackFillCounts {
  /** Users whose texts are being given vectors now. */
  readonly running: number;
  /** Vectors that were made in the background. */
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
    /** Milliseconds for a statement, with the wait for a connection; null if it is unreachable. */
    readonly latencyMs: number | null;
    /** Why it is unreachable. */
    readonly error?: { readonly code: ErrorCode; readonly message: string };
  };
  /** Null if no embedder is configured. `retryMs`: milliseconds until the next attempt after failures; 0 if it works. */
  readonly embedder: { readonly name: string; readonly isAvailable: boolean; readonly retryMs: number } | null;
  readonly backFill: BackFillCounts;
}

export interface HealthOptions {
  /** Milliseconds after which the database counts as unreachable. Default 2,000. */
  readonly timeoutMs?: number;
}

export interface ContinueTurnsOptions {
  /** Ends the work; running turns continue. Default: when the host is closed. */
  readonly signal?: AbortSignal;
}

export interface Host extends StoreMaintenance {
  /**
   * Returns the runtime of a user, in microseconds: it opens nothing. Returns the same runtime until that is closed, so that
   * all requests of a user share it; close it to free what it holds. Throws RequestError `input_invalid` for an invalid id, and
   * ConfigError on a closed host.
   */
  forUser(userId: string): UserRuntime;
  /**
   * Continues the unfinished turns of all users whose process had called this method, and begins the turns of queued inputs
   * whose sender is gone, until the signal is aborted or the host is closed. A turn that cannot be continued gets an end. Any
   * number of processes can do this at once. After this call, other hosts continue the turns of this host.
   */
  continueTurns(options?: ContinueTurnsOptions): Promise<void>;
  readonly keys: HostKeys;
  /** The MCP servers, which all users share. */
  readonly mcp: McpOperations;
  /** Sends one statement to the database, and checks the rest without a call. Never throws. */
  health(options?: HealthOptions): Promise<HostHealth>;
  /** Returns numbers for metrics, without a query. */
  counters(): HostCounters;
  /** Closes all runtimes at once, each like `UserRuntime.close`, and then the store, the embedders and the models. */
  close(options?: CloseOptions): Promise<void>;
}
