// Adds up the totals of one headless run.
// Invariant: pure; usage is the sum of all turns, the text is that of the last turn.
import type { AgentEvent } from "../../../agent/events.ts";
import { foldTurn, noTurn, type TurnState } from "../../../agent/fold-turn.ts";
import { addUsage, noUsage, type Usage } from "../../../base/message/message.ts";

export interface TimedTurn {
  readonly turn: TurnState;
  /** Total milliseconds from the start of each model call until its reply was stored. */
  readonly modelMs: number;
  /** Start of the running model call, in milliseconds; null if none runs. */
  readonly callBegan: number | null;
}

export const noTimedTurn: TimedTurn = { turn: noTurn, modelMs: 0, callBegan: null };

/** Events that show that the reply of a step is stored, or that the step has ended without a reply. */
const replied: readonly AgentEvent["type"][] = [
  "tool-call",
  "approval-requested",
  "result-requested",
  "step-end",
  "turn-end",
];

/** Returns the turn with the event added. `now` is the time of the event in milliseconds. */
export function timeEvent({ turn, modelMs, callBegan }: TimedTurn, event: AgentEvent, now: number): TimedTurn {
  const next = foldTurn(turn, event).turn;
  if (event.type === "step-start") return { turn: next, modelMs, callBegan: now };
  if (callBegan === null || !replied.includes(event.type)) return { turn: next, modelMs, callBegan };
  return { turn: next, modelMs: modelMs + (now - callBegan), callBegan: null };
}

export interface RunRecord {
  /** Number of turns that have begun. */
  readonly turns: number;
  readonly steps: number;
  readonly usage: Usage;
  /** Total milliseconds of the model calls of all turns. */
  readonly modelMs: number;
  readonly edits: TurnState["edits"];
  readonly last: TurnState;
}

export const emptyRun: RunRecord = { turns: 0, steps: 0, usage: noUsage, modelMs: 0, edits: [], last: noTurn };

/** Returns the totals with one more turn, finished or not. One refused before its first event is not counted and not `last`. */
export function addTurn(run: RunRecord, { turn, modelMs }: TimedTurn): RunRecord {
  return {
    turns: run.turns + (turn.turnId === "" ? 0 : 1),
    steps: run.steps + (turn.end?.steps ?? turn.step),
    usage: addUsage(run.usage, turn.usage),
    modelMs: run.modelMs + modelMs,
    edits: [...run.edits, ...turn.edits],
    last: turn.turnId === "" ? run.last : turn,
  };
}
