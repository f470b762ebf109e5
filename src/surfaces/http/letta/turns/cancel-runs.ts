// Cancels runs: stops the turns that are under way.
// Invariant: what a turn has streamed and stored stays; a turn that is not under way is not changed.
import { systemClock } from "../../../../base/clock.ts";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { openIn } from "../../follow-turn.ts";
import { WireFault } from "../wire-fault.ts";
import type { TurnRecord } from "./runtime-records.ts";

export interface RunsToCancel {
  /** UUIDs; empty: all that are under way. */
  readonly runs: readonly string[];
  /** Whose they are, for the error. */
  readonly of: string;
}

/** Returns the state of each run by its id. Throws WireFault if nothing is under way. */
export async function cancelRuns(
  runtime: UserRuntime,
  place: { readonly agent: string; readonly conversation?: string },
  { runs, of }: RunsToCancel,
): Promise<Readonly<Record<string, string>>> {
  const active = await runtime.turns.list({ ...place, states: ["queued", "running"] });
  const ids = runs.length === 0 ? active.map(({ id }) => id) : runs;
  if (ids.length === 0) throw new WireFault(409, "turn_not_found", { detail: `No active runs to cancel for ${of}.` });
  const states: Record<string, string> = {};
  for (const id of ids) {
    const turn = active.find((one) => one.id === id);
    states[`run-${id}`] = turn !== undefined && (await stop(runtime, turn)) ? "cancelled" : "failed";
  }
  return states;
}

/** Milliseconds in which a running turn usually ends after it was asked to stop. */
const endMs = 5000;
const pollMs = 100;

/** Returns once the turn has ended, or takes long to end. */
async function stop(runtime: UserRuntime, { id, agentId, conversationId }: TurnRecord): Promise<boolean> {
  const agent = await openIn(runtime, { agentId, conversationId }, { withoutCalls: true });
  if (!(await agent.stop())) return false;
  for (let waited = 0; waited < endMs; waited += pollMs) {
    const { state } = await runtime.turns.find(id);
    if (state !== "running") break;
    await systemClock.sleep(pollMs);
  }
  return true;
}
