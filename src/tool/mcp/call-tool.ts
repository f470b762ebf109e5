// Sends one call of a tool to an MCP server and waits for its result.
// Invariant: a call ends at its time-out. Its timer is paused while a question of the server waits; a question has its
// own time-out.
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

export type RunningCalls = Set<{ readonly timer: CallTimer; readonly signal: AbortSignal }>;

export async function callTool(
  client: Client,
  running: RunningCalls,
  { name, options, definition, args, signal }: SentCall,
): Promise<CallToolResult> {
  const timer = startCallTimer(options.timeoutSeconds === undefined ? bounds.callMs : options.timeoutSeconds * 1000);
  const call = { timer, signal };
  running.add(call);
  const request = { name: definition.toolName, arguments: args as Record<string, unknown> };
  // The SDK's timer cannot be paused, so it gets the longest time-out.
  const wait = { timeout: bounds.longestMs, signal: AbortSignal.any([signal, timer.signal]) };
  try {
    return await client.callTool(request, wait);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SignInError) throw refusedCall(name, error);
    // A server that does not answer is restarted for the next call.
    if (timer.signal.aborted) await client.close();
    const reason = timer.signal.aborted ? "it did not answer in time" : messageOf(error);
    const problem = `The MCP server ${name} gave no result, and the call may have had an effect: ${reason}`;
    throw new ToolError(problem, { cause: error });
  } finally {
    timer.stop();
    running.delete(call);
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
    // A server does not say which call its question is about, so the question ends with the first call that ends.
    return await ask(AbortSignal.any(calls.map(({ signal }) => signal)));
  } finally {
    for (const { timer } of calls) if (!timer.signal.aborted) timer.resume();
  }
}

interface CallTimer {
  /** Aborts at the time-out. */
  readonly signal: AbortSignal;
  pause(): void;
  resume(): void;
  stop(): void;
}

function startCallTimer(milliseconds: number): CallTimer {
  const controller = new AbortController();
  let left = milliseconds;
  let startedAt = performance.now();
  let timer: NodeJS.Timeout | null = null;
  const run = (): void => {
    startedAt = performance.now();
    timer = setTimeout(() => controller.abort(), left);
  };
  run();
  return {
    signal: controller.signal,
    pause() {
      if (timer === null) return;
      clearTimeout(timer);
      timer = null;
      left = Math.max(0, left - (performance.now() - startedAt));
    },
    resume() {
      if (timer === null) run();
    },
    stop() {
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  };
}
