// The messages that a server sends to the process or thread that started it: plain objects that can be serialized.
// Invariant: a failure arrives as the original error, with its code.
import { ConfigError, type ErrorCode, RuntimeError, StoreError } from "../../base/errors.ts";

export type ServerReport =
  | { readonly kind: "progress"; readonly line: string }
  /** The server is ready; its address is in the lock file. */
  | { readonly kind: "ready" }
  /** Another server holds the lock, or was faster to take it. */
  | { readonly kind: "held" }
  | { readonly kind: "failed"; readonly code: ErrorCode; readonly message: string };

/** Options of a server; plain values only. */
export interface ServeOptions {
  readonly folder: string;
  readonly migrationsFolder: string;
  readonly transport: "unix" | "tcp";
  /** Milliseconds without a connection after which the server exits; undefined: never. */
  readonly idleMs: number | undefined;
  /** Milliseconds that a client may block others inside a transaction. */
  readonly stallMs: number;
  /** Whether the database is in memory, new and empty: none of it is written to the folder. */
  readonly isInMemory: boolean;
}

export function failureReport(cause: unknown): ServerReport {
  if (cause instanceof RuntimeError) return { kind: "failed", code: cause.code, message: cause.message };
  const reason = cause instanceof Error ? cause.message : String(cause);
  return { kind: "failed", code: "store_failed", message: `The embedded database could not be started: ${reason}` };
}

/** Returns the error that a failure report was made from. */
export function reportedError(report: Extract<ServerReport, { kind: "failed" }>): RuntimeError {
  switch (report.code) {
    case "data_folder_invalid":
    case "store_full":
    case "store_locked":
    case "store_schema_newer":
    case "store_schema_unknown":
    case "store_unreachable":
      return new StoreError(report.code, report.message);
    case "config_invalid":
      return new ConfigError(report.message);
    default:
      return new StoreError("store_failed", report.message);
  }
}
