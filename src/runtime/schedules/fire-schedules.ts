// Fires due schedules: claims each due time, and sends its message in the background.
// Invariant: the message of a due time is sent once, whichever process claims it and however often the run is taken over: its
// idempotency key is derived from the schedule and the due time.
import { appendAll } from "../../base/lists.ts";
import type { ScheduleRecord, ScheduleRun } from "../../store/port/schedule-store.ts";
import type { FiredSchedules, RunSchedulesOptions } from "./contract.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";
import { nextDue, quietEnd } from "./due-times.ts";
import { type ClaimedRun, claimMs, sendScheduled } from "./send-scheduled.ts";

/** Milliseconds after which a due time that was not fired counts as missed. */
const missedMs = 60_000;

export async function fireSchedules(
  deps: OperationDeps,
  onRun: RunSchedulesOptions["onRun"] = () => undefined,
): Promise<FiredSchedules> {
  const { store, clock, background } = deps;
  const { due, abandoned, nextAt } = await store.schedules.poll(clock.now());
  const claimed: ClaimedRun[] = [];
  for (const run of abandoned) appendAll(claimed, await takeOver(deps, run));
  let postponedTo: Date | null = null;
  for (const schedule of due) {
    const outcome = await claimDue(deps, schedule);
    postponedTo = earlier(postponedTo, outcome.nextAt);
    if (outcome.run?.run.status === "running") claimed.push(outcome.run);
    else if (outcome.run !== null) onRun(outcome.run.run);
  }
  for (const run of claimed) background.run("A scheduled message", () => sendScheduled(deps, run, onRun));
  return { fired: claimed.length, nextAt: earlier(nextAt, postponedTo) };
}

async function takeOver({ store, ids, clock }: OperationDeps, run: ScheduleRun): Promise<readonly ClaimedRun[]> {
  const { scheduleId, dueAt } = run;
  const claim = { scheduleId, dueAt, claim: ids.next() };
  const now = clock.now();
  const isTaken = await store.schedules.takeOver(claim, { now, until: new Date(now.getTime() + claimMs) });
  const schedule = isTaken ? await store.schedules.find(scheduleId) : null;
  return schedule === null ? [] : [{ schedule, run, claim }];
}

interface ClaimOutcome {
  /** The claimed run; null if another process claimed it first, or if the due time was postponed. */
  readonly run: ClaimedRun | null;
  readonly nextAt: Date | null;
}

async function claimDue({ store, ids, clock }: OperationDeps, schedule: ScheduleRecord): Promise<ClaimOutcome> {
  const { id, nextAt: dueAt } = schedule;
  const now = clock.now();
  // The due time is never null, because a poll returns only schedules with one.
  const from = dueAt!;
  const decision = decide(schedule, from, now);
  if (decision.type === "postpone") {
    await store.schedules.advance(id, { from, to: decision.to, run: null });
    return { run: null, nextAt: decision.to };
  }
  const to = nextDue(schedule, now);
  const claim = { scheduleId: id, dueAt: from, claim: ids.next() };
  const state = decision.type === "send" ? { status: "running" as const, outcome: null } : decision.state;
  const until = new Date(now.getTime() + claimMs);
  const isFirst = await store.schedules.advance(id, { from, to, run: { ...state, claim: claim.claim, until } });
  const run = { scheduleId: id, dueAt: from, ...state, conversationId: null, turnId: null, createdAt: now };
  return { run: isFirst ? { schedule, run, claim } : null, nextAt: to };
}

type Decision =
  | { readonly type: "send" }
  | { readonly type: "postpone"; readonly to: Date }
  | { readonly type: "skip"; readonly state: Pick<ScheduleRun, "status" | "outcome"> };

/**
 * Decides whether the message of a due time is sent, postponed or skipped. Quiet hours matter only if the due time was missed,
 * because due times are never in quiet hours.
 */
function decide(schedule: ScheduleRecord, dueAt: Date, now: Date): Decision {
  if (now.getTime() - dueAt.getTime() <= missedMs) return { type: "send" };
  if (schedule.onMissed === "skip") return { type: "skip", state: { status: "skipped", outcome: "missed" } };
  const quietUntil = quietEnd(schedule, now);
  if (quietUntil === null) return { type: "send" };
  if (schedule.onQuiet === "delay") return { type: "postpone", to: quietUntil };
  return { type: "skip", state: { status: "skipped", outcome: "quiet" } };
}

function earlier(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}
