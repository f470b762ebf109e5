// Turns as Letta's runs, listed by Letta's filters.
// Invariant: a page is read until it is full or the list ends, because several of our states are one of Letta's.
import type { StopReason } from "../../../../agent/events.ts";
import type { TurnListOptions } from "../../../../runtime/turns.ts";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { continueLeft } from "../../follow-turn.ts";
import { statesWith, statusOfRun } from "./run-shape.ts";
import { stopReasonOf } from "./turn-end.ts";
import type { TurnRecord } from "./runtime-records.ts";

export interface RunQuery {
  readonly order?: "asc" | "desc" | undefined;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
  readonly agentId?: string | undefined;
  readonly conversationId?: string | undefined;
  readonly statuses?: readonly string[] | undefined;
  readonly isBackground?: boolean | undefined;
  readonly stopReason?: string | undefined;
}

const defaultLimit = 100;

export async function listRuns({ turns }: UserRuntime, query: RunQuery): Promise<readonly TurnRecord[]> {
  const { order = "desc", limit = defaultLimit, statuses, stopReason } = query;
  const isWanted = (turn: TurnRecord): boolean =>
    (statuses === undefined || statuses.includes(statusOfRun(turn))) &&
    (stopReason === undefined || nameOf(turn) === stopReason);
  let found: readonly TurnRecord[] = [];
  let range: Pick<TurnListOptions, "before" | "after"> = rangeOf(query);
  while (found.length < limit) {
    const page = await turns.list({
      ...filtersOf(query),
      ...range,
      order: order === "asc" ? "oldest" : "newest",
      limit,
    });
    const wanted = page.filter(isWanted);
    const isBackwards = range.before !== undefined && range.after === undefined;
    const room = limit - found.length;
    found = isBackwards ? [...wanted.slice(-room), ...found] : [...found, ...wanted.slice(0, room)];
    const edge = isBackwards ? page[0] : page.at(-1);
    if (edge === undefined || page.length < limit) break;
    range = isBackwards ? { before: edge.id } : { ...range, after: edge.id };
  }
  return found;
}

function rangeOf({ before, after }: RunQuery): Pick<TurnListOptions, "before" | "after"> {
  return { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
}

function filtersOf({ agentId, conversationId, statuses, isBackground }: RunQuery): TurnListOptions {
  return {
    ...(agentId === undefined ? {} : { agent: agentId }),
    ...(conversationId === undefined ? {} : { conversation: conversationId }),
    ...(statuses === undefined ? {} : { states: [...new Set(statuses.flatMap(statesWith))] }),
    ...(isBackground === undefined ? {} : { isBackground }),
  };
}

function nameOf({ stopReason }: TurnRecord): string | null {
  return stopReason === null ? null : stopReasonOf(stopReason as StopReason);
}

/** Returns a run, and continues it if its process has left it. Throws RequestError `turn_not_found`. */
export async function currentRun(runtime: UserRuntime, turnId: string): Promise<TurnRecord> {
  const turn = await runtime.turns.find(turnId);
  const isLeft = turn.isBackground && turn.state === "interrupted" && turn.stopReason === null;
  if (!isLeft || !(await continueLeft(runtime, turn))) return turn;
  return runtime.turns.find(turnId);
}
