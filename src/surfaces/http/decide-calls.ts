// Carries out a client's decisions about waiting calls: approvals, denials, and results of tools that the client ran.
// Invariant: each decision is stored before the next one is carried out, and the turn goes on after the last one.
import type { Agent } from "../../agent/agent.ts";
import type { AgentEvent } from "../../agent/events.ts";
import type { CallResult, TurnEvents, TurnOptions } from "../../agent/turn-options.ts";

export interface Verdict {
  readonly callId: string;
  readonly approve: boolean;
  readonly reason: string | null;
}

export interface CallDecisions {
  readonly verdicts: readonly Verdict[];
  readonly results: readonly CallResult[];
}

export interface DecidedCalls {
  /** The events of all decisions but the last one. */
  readonly earlier: readonly AgentEvent[];
  /** Carries out the last decision, and returns the events of the turn. */
  readonly last: () => TurnEvents;
}

/**
 * Carries out all decisions but the last one, even if the client disconnects meanwhile. `last` carries out the last one
 * and continues the turn. Requires at least one decision.
 */
export async function decideCalls(agent: Agent, decisions: CallDecisions, options: TurnOptions): Promise<DecidedCalls> {
  const steps = stepsOf(agent, decisions, options);
  const earlier: AgentEvent[] = [];
  for (const step of steps.slice(0, -1)) for await (const event of step()) earlier.push(event);
  return { earlier, last: steps.at(-1) as DecisionStep };
}

type DecisionStep = () => TurnEvents;

function stepsOf(agent: Agent, { verdicts, results }: CallDecisions, options: TurnOptions): readonly DecisionStep[] {
  return [
    ...verdicts.map(({ callId, approve, reason }) => () => {
      if (approve) return agent.approve(callId, options);
      return agent.deny(callId, { ...options, ...(reason === null ? {} : { reason }) });
    }),
    ...(results.length === 0 ? [] : [() => agent.answer(results, options)]),
  ];
}

/** Returns the number of the `turn-end` event with which a turn paused for one of these calls; 0 for no such pause. */
export function endOfPause(events: readonly AgentEvent[], calls: readonly string[]): number {
  const asked = events.findIndex(
    (event) =>
      (event.type === "approval-requested" || event.type === "result-requested") && calls.includes(event.callId),
  );
  if (asked === -1) return 0;
  return events.slice(asked).find(({ type }) => type === "turn-end")?.sequence ?? 0;
}
