// Defines the messages that a server sends to the process or thread that started it: plain objects that can be serialized.
// Invariant: a StoreError or a ConfigError arrives with its class, code and message; any other failure is `store_failed`.
import { ConfigError, StoreError } from "../../base/errors.ts";

type StoreErrorCode = ConstructorParameters<typeof StoreError>[0];

export type ServerReport =
  | { readonly kind: "progress"; readonly line: string }
  /** The server is ready; its address is in the lock file. */
  | { readonly kind: "ready" }
  /** Another server holds the lock, or was faster to take it. */
  | { readonly kind: "held" }
  | { readonly kind: "failed"; readonly code: StoreErrorCode | "config_invalid"; readonly message: string };

type FailureReport = Extract<ServerReport, { kind: "failed" }>;

/** Options of a server; plain values only. */
export interface ServeOptions {
  readonly folder: string;
  readonly migrationsFolder: string;
  readonly transport: "unix" | "tcp";
  /** Milliseconds without a connection after which the server exits; undefined: never. */
  readonly idleMs: number | undefined;
  /** Milliseconds that a client may block others inside a transaction. */
  readonly stallMs: number;
  /** Whether the server opens a new, empty database in memory, and writes no data to the folder. */
  readonly isInMemory: boolean;
}

export function failureReport(cause: unknown): FailureReport {
  if (cause instanceof ConfigError) return { kind: "failed", code: "config_invalid", message: cause.message };
  if (cause instanceof StoreError)
    // The cast is sound: the constructor of StoreError accepts no other codes.
    return { kind: "failed", code: cause.code as StoreErrorCode, message: cause.message };
  const reason = cause instanceof Error ? cause.message : String(cause);
  return { kind: "failed", code: "store_failed", message: `The embedded database could not be started: ${reason}` };
}

/** Returns the error that a failure report was made from. */
export function reportedError({ code, message }: FailureReport): ConfigError | StoreError {
  return code === "config_invalid" ? new ConfigError(message) : new StoreError(code, message);
}
