// Sends one call of a tool to an MCP server and waits for its result.
// Invariant: a call ends at its time-out. The call's timer is paused while a question of the server waits for the user. A
// question has its own time-out, and ends at the latest when all calls that it may be about have ended.
import type { CallToolResult, Client } from "@modelcontextprotocol/client";
import { messageOf } from "../../base/thrown-values.ts";
import { SignInError, ToolError } from "../../base/errors.ts";
import { bounds } from "./bounds.ts";
import type { McpServerOptions, ToolDefinition } from "./tool-definition.ts";

export interface SentCall {
  readonly name: string;
  readonly options: McpServerOptions;
  readonly definition: ToolDefinition;
  readonly args: unknown;
  readonly signal: AbortSignal;
}

/** The running calls of a server. `ended` is aborted when a call ends, with or without an error. */
export type RunningCalls = Set<{ readonly timer: CallTimer; readonly ended: AbortSignal }>;

export async function callTool(
  client: Client,
  running: RunningCalls,
  { name, options, definition, args, signal }: SentCall,
): Promise<CallToolResult> {
  const timer = startCallTimer(options.timeoutSeconds === undefined ? bounds.callMs : options.timeoutSeconds * 1000);
  const end = new AbortController();
  const call = { timer, ended: end.signal };
  running.add(call);
  const request = { name: definition.toolName, arguments: args as Record<string, unknown> };
  // The SDK's timer cannot be paused, so it gets the longest time-out.
  const wait = { timeout: bounds.longestMs, signal: AbortSignal.any([signal, timer.signal]) };
  try {
    return await client.callTool(request, wait);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SignInError) throw refusedCall(name, error);
    // Closes a server that does not answer; the next call restarts it. A server over HTTP stays open while other calls run.
    if (timer.signal.aborted && (options.command !== undefined || running.size === 1)) await client.close();
    const reason = timer.signal.aborted ? "it did not answer in time" : messageOf(error);
    const problem = `The MCP server ${name} gave no result, and the call may have had an effect: ${reason}`;
    throw new ToolError(problem, { cause: error });
  } finally {
    timer.stop();
    running.delete(call);
    end.abort();
  }
}

/** Returns the error for the model, with the advice to ask the user for a sign-in if one is needed. */
export function refusedCall(server: string, cause: unknown): ToolError {
  const problem = `Nothing was done, because the MCP server ${server} cannot be used: ${messageOf(cause)}.`;
  const advice =
    cause instanceof SignInError && cause.needsUser ? " Ask the user to sign in to it, and try again after that." : "";
  return new ToolError(`${problem}${advice}`, { cause });
}

/** Runs `ask` for the server's question while the timers of its calls are paused. Returns null if no call is running. */
export async function duringCalls<Result>(
  running: RunningCalls,
  ask: (signal: AbortSignal) => Promise<Result>,
): Promise<Result | null> {
  const calls = [...running];
  if (calls.length === 0) return null;
  for (const { timer } of calls) timer.pause();
  try {
    // A server does not say which call its question is about, so the question ends with the last running call.
    return await ask(allAborted(calls.map(({ ended }) => ended)));
  } finally {
    for (const { timer } of calls) timer.resume();
  }
}

/** Returns a signal that is aborted once all of `signals` are aborted. */
function allAborted(signals: readonly AbortSignal[]): AbortSignal {
  const all = new AbortController();
  const check = (): void => {
    if (signals.every(({ aborted }) => aborted)) all.abort();
  };
  for (const signal of signals) signal.addEventListener("abort", check, { once: true });
  return all.signal;
}

interface CallTimer {
  /** Aborts at the time-out. */
  readonly signal: AbortSignal;
  /** Stops the timer until `resume` has been called as often as `pause`. */
  pause(): void;
  resume(): void;
  stop(): void;
}

function startCallTimer(milliseconds: number): CallTimer {
  const controller = new AbortController();
  let left = milliseconds;
  let startedAt = 0;
  let pauses = 0;
  let timer: NodeJS.Timeout | undefined;
  const run = (): void => {
    startedAt = performance.now();
    timer = setTimeout(() => controller.abort(), left);
  };
  const pause = (): void => {
    pauses += 1;
    if (pauses > 1) return;
    clearTimeout(timer);
    left = Math.max(0, left - (performance.now() - startedAt));
  };
  run();
  return {
    signal: controller.signal,
    pause,
    resume() {
      pauses -= 1;
      if (pauses === 0) run();
    },
    // Pauses for good: the `resume` of a question that ends after the call does not restart the timer.
    stop: pause,
  };
}
