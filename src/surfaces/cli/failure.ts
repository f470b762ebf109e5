// Converts an error that ended a command to a line on stderr and an exit code.
// Invariant: every error ends here; a stack is printed only with PALIMPSEST_DEBUG.
import { inspect } from "node:util";
import { messageOf, systemErrorCode } from "../../base/thrown-values.ts";
import { stripControl } from "../../base/terminal-text.ts";
import { ConfigError, LimitError, RuntimeError } from "../../base/errors.ts";
import { exitCodes } from "./exit-codes.ts";
import { surfaceText } from "../surface-words.ts";
import { printError } from "./print.ts";
import type { World } from "./world.ts";

export interface Failure {
  readonly exitCode: number;
  /** A code of the error catalogue, or `interrupted` or `unexpected`. */
  readonly code: string;
  readonly message: string;
}

/** Returns the code, the message and the exit code of an error that ended a command. */
export function describeFailure(
  error: unknown,
  { signal, hide, command }: Pick<World, "signal" | "hide" | "command">,
): Failure {
  const failure = failureOf(error, signal);
  return { ...failure, message: surfaceText(hide(failure.message), "command-line", command) };
}

function failureOf(error: unknown, signal: AbortSignal): Failure {
  if (error instanceof RuntimeError) return { exitCode: exitCodeOf(error), code: error.code, message: error.message };
  if (signal.aborted && (error === signal.reason || isAbort(error))) {
    return { exitCode: exitCodes.interrupted, code: "interrupted", message: "interrupted" };
  }
  return {
    exitCode: exitCodes.failed,
    code: "unexpected",
    message: `unexpected error: ${messageOf(error)} (PALIMPSEST_DEBUG=1 prints the stack)`,
  };
}

/** Prints an error on stderr and returns the exit code. */
export function reportFailure(world: World, error: unknown): number {
  const failure = describeFailure(error, world);
  printError(world, failure.message);
  if (world.debug) world.stderr.write(`${stripControl(world.hide(stackOf(error)))}\n`);
  return failure.exitCode;
}

/** Whether the error is an AbortError of Node or the web platform, thrown instead of the signal's reason. */
function isAbort(error: unknown): boolean {
  return typeof error === "object" && error !== null && "name" in error && error.name === "AbortError";
}

/** Whether a file that the user named cannot be read, or is not there. */
function isUnreadable({ code, cause }: RuntimeError): boolean {
  if (code === "file_unreadable" || code === "source_file_unreadable") return true;
  return code === "backup_invalid" && systemErrorCode(cause) === "ENOENT";
}

function exitCodeOf(error: RuntimeError): number {
  if (error instanceof ConfigError || isUnreadable(error)) return exitCodes.usage;
  if (error instanceof LimitError) return exitCodes.limit;
  return error.code === "agent_busy" ? exitCodes.busy : exitCodes.failed;
}

function stackOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return String(error);
  // A cause may be a plain object, such as the code and the details of a database error.
  const own = "stack" in error ? String(error.stack) : inspect(error, { breakLength: Number.POSITIVE_INFINITY });
  return "cause" in error && error.cause !== undefined ? `${own}\ncaused by: ${stackOf(error.cause)}` : own;
}
