// Carries out a client's decisions about waiting calls: approvals, denials, and results of tools that the client ran.
// Invariant: each decision is stored before the next one is carried out, and the turn goes on after the last one.
import type { Agent } from "../../agent/agent.ts";
import type { AgentEvent } from "../../agent/events.ts";
import type { CallResult, TurnEvents, TurnOptions } from "../../agent/turn-options.ts";
import type { UserRuntime } from "../../runtime/runtime.ts";
import { followTurn, type OpenedEvents, type TurnPlace } from "./follow-turn.ts";
import { eventsIfStored } from "./replay-turn.ts";

export interface Verdict {
  readonly callId: string;
  readonly approve: boolean;
  readonly reason: string | null;
}

export interface CallDecisions {
  readonly verdicts: readonly Verdict[];
  readonly results: readonly CallResult[];
}

/**
 * Carries out all decisions but the last one, even if the client disconnects meanwhile. Returns their events (`earlier`), and
 * a function that carries out the last one and returns the events of the turn. Requires at least one decision.
 */
export async function decideCalls(agent: Agent, { verdicts, results }: CallDecisions, options: TurnOptions) {
  const steps = verdicts.map(({ callId, approve, reason }) => (): TurnEvents => {
    if (approve) return agent.approve(callId, options);
    return agent.deny(callId, { ...options, ...(reason === null ? {} : { reason }) });
  });
  if (results.length > 0) steps.push(() => agent.answer(results, options));
  const earlier: AgentEvent[] = [];
  for (const step of steps.slice(0, -1)) for await (const event of step()) earlier.push(event);
  return { earlier, last: steps.at(-1)! };
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

/**
 * Returns the events of the agent's newest turn after its pause for these calls; null without such a pause. Used for a
 * client that repeats its decisions because its connection failed.
 */
export async function joinAfterPause(
  runtime: UserRuntime,
  { agent, place }: { readonly agent: Agent; readonly place: TurnPlace },
  calls: readonly string[],
): Promise<OpenedEvents | null> {
  const id = agent.messages.at(-1)?.turnId;
  const after = id === undefined ? 0 : endOfPause(await eventsIfStored(agent, id), calls);
  return id === undefined || after === 0 ? null : { events: followTurn(runtime, { id, ...place }, { after }) };
}
