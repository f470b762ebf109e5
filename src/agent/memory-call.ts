// A model call of the runtime's own that updates memory after a step.
// Invariant: it keeps to the turn's budget, and an interruption or a failure changes nothing; a failure becomes a warning.
import { ModelError } from "../errors.ts";
import type { ModelRequest } from "../llm/model.ts";
import { textOf, type Usage } from "../message/message.ts";
import type { AgentEvent } from "./events.ts";
import { budgetRefusal } from "./turn-budget.ts";
import type { Turn } from "./turn.ts";
import { summarizerWindow } from "./window-size.ts";

export interface MemoryCall<Answer> {
  readonly request: ModelRequest;
  readonly ask: (request: ModelRequest, signal: AbortSignal) => Promise<Answer>;
  /** Usage of the turn so far. */
  readonly usage: Usage;
  /** Returns the warning about a failure. */
  readonly warn: (reason: string) => AgentEvent;
}

/** Returns null if the call was not made or failed. */
export async function* callForMemory<Answer>(
  turn: Turn,
  { request, ask, usage, warn }: MemoryCall<Answer>,
): AsyncGenerator<AgentEvent, Answer | null> {
  const { budget, signal } = turn;
  const refusal = budget === null ? null : budgetRefusal(budget, usage, requestTokens(turn, request));
  if (refusal !== null) {
    yield warn(refusal);
    return null;
  }
  try {
    return await ask(request, signal);
  } catch (error) {
    if (signal.aborted) return null;
    if (!(error instanceof ModelError)) throw error;
    yield warn(error.message);
    return null;
  }
}

/** Returns the reported tokens of the request, the unit of a budget. */
function requestTokens(turn: Turn, { system, messages }: ModelRequest): number {
  const texts = [system.instructions, ...messages.map(textOf)];
  const counted = texts.reduce((sum, text) => sum + turn.countTokens(text), 0);
  return summarizerWindow(turn).scale.reported(counted);
}
