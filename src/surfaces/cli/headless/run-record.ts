// The totals of one headless run.
// Invariant: pure; usage is the sum of all turns, the text is that of the last one.
import { addUsage, noUsage, type Usage } from "../../../base/message/message.ts";
import { type EditRecord, emptyTurn, type TurnRecord } from "./turn-record.ts";

export interface RunRecord {
  /** Number of turns that have begun. */
  readonly turns: number;
  readonly steps: number;
  readonly usage: Usage;
  /** Milliseconds of model calls, as in a turn record. */
  readonly modelMs: number;
  readonly edits: readonly EditRecord[];
  readonly last: TurnRecord;
}

export const emptyRun: RunRecord = { turns: 0, steps: 0, usage: noUsage, modelMs: 0, edits: [], last: emptyTurn };

/** Returns the totals with one more turn, finished or not. */
export function addTurn(run: RunRecord, turn: TurnRecord): RunRecord {
  return {
    turns: run.turns + (turn.turnId === null ? 0 : 1),
    steps: run.steps + turn.steps,
    usage: addUsage(run.usage, turn.usage),
    modelMs: run.modelMs + turn.modelMs,
    edits: [...run.edits, ...turn.edits],
    last: turn,
  };
}
