// Returns an agent's window as it would be sent now, and as it was at each model call.
// Invariant: reads only; changes nothing.
import { RequestError } from "../base/errors.ts";
import type { LoggedStep } from "../store/port/step-store.ts";
import type { WindowUsage } from "./events.ts";
import type { CompiledWindow } from "./agent-results.ts";
import { compileWindow, dueEntry } from "./fit-context.ts";
import type { AgentDeps } from "./turn.ts";

export function currentWindow(deps: AgentDeps): CompiledWindow {
  const between = { ...deps, retrieval: null, turnId: null };
  const { found, ...context } = compileWindow(between);
  const state = dueEntry(between, { ...context, found })?.text ?? "";
  return { ...context, retrieved: found?.text ?? "", state };
}

export function currentUsage(deps: AgentDeps): WindowUsage {
  const { report } = currentWindow(deps);
  return { tokens: report.total, limit: report.window };
}

const defaultSteps = 20;

/** Returns the newest model calls, newest first. */
export function listSteps(
  { store, conversationId }: Pick<AgentDeps, "store" | "conversationId">,
  limit = defaultSteps,
): Promise<readonly LoggedStep[]> {
  return store.steps.list(conversationId, limit);
}

/** Returns a model call by number, from 1. Throws RequestError `step_not_found`, which names the number of calls so far. */
export async function findStep(
  { store, conversationId }: Pick<AgentDeps, "store" | "conversationId">,
  ordinal: number,
): Promise<LoggedStep> {
  const step = await store.steps.find(conversationId, ordinal);
  if (step !== null) return step;
  const [last] = await store.steps.list(conversationId, 1);
  const calls = last?.ordinal ?? 0;
  const there = calls === 0 ? "has had no model call yet" : `has had ${calls} model call${calls === 1 ? "" : "s"}`;
  throw new RequestError("step_not_found", `There is no step ${ordinal}: this conversation ${there}.`);
}
