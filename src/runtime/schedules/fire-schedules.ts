// Fires due schedules: claims each due time, and sends its message in the background.
// Invariant: the message of a due time is sent once, whichever process claims it and however often the run is taken over: its
// idempotency key is derived from the schedule and the due time. The conversation is recorded before the message is sent, so a
// process that takes the run over sends it to the same conversation, with the same idempotency key. A run that this process
// cannot finish is left for another process. A claimed run is begun before the next one is claimed, so it is sent even if the
// next claim fails.
import type { RunChange, RunClaim, ScheduleRecord, ScheduleRun } from "../../store/port/schedule-store.ts";
import type { FiredSchedules, RunSchedulesOptions } from "./contract.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";
import { nextDue, quietEnd } from "./due-times.ts";
import type { Agent } from "../../agent/agent.ts";
import type { AgentEvent } from "../../agent/events.ts";
import { every } from "../../base/clock.ts";
import { RequestError, RuntimeError, StoreError } from "../../base/errors.ts";
import { messageOf, valueOn } from "../../base/thrown-values.ts";
import { findAgent } from "../agents/find-agent.ts";
import { runUnasked } from "../consolidation/run-consolidation.ts";
import { openAgent } from "../operations/opening/open-agent.ts";

/** Milliseconds after which a due time that was not fired counts as missed. */
const missedMs = 60_000;

export async function fireSchedules(
  deps: OperationDeps,
  onRun: RunSchedulesOptions["onRun"] = () => undefined,
): Promise<FiredSchedules> {
  const { store, clock, background, log } = deps;
  const { due, abandoned, nextAt } = await store.schedules.poll(clock.now());
  let fired = 0;
  const begin = (taken: ClaimedRun | null) => {
    if (taken?.run.status === "running") {
      fired += 1;
      background.run("A scheduled message", () => sendScheduled(deps, taken, onRun));
    } else if (taken !== null) onRun(taken.run);
  };
  // A schedule that cannot be fired, for example because this process does not know its time zone, does not stop the others.
  const loggedFor = (id: string) => (error: unknown) => {
    if (error instanceof StoreError) throw error;
    log(`The schedule ${id} was not fired and will be tried again: ${messageOf(error)}`);
    return null;
  };
  for (const run of abandoned) begin(await takeOver(deps, run).catch(loggedFor(run.scheduleId)));
  let postponedTo: Date | null = null;
  for (const schedule of due) {
    const outcome = await claimDue(deps, schedule).catch(loggedFor(schedule.id));
    postponedTo = earlier(postponedTo, outcome?.nextAt ?? null);
    begin(outcome?.run ?? null);
  }
  return { fired, nextAt: earlier(nextAt, postponedTo) };
}

/**
 * Takes over a run. If its message was not sent, the current schedule decides whether the message is sent, postponed or
 * skipped. Returns null if another process was first, the schedule is deleted, or the message is postponed. A postponed run
 * is taken over again.
 */
async function takeOver({ store, ids, clock }: OperationDeps, run: ScheduleRun): Promise<ClaimedRun | null> {
  const { scheduleId, dueAt, conversationId } = run;
  const claim = { scheduleId, dueAt, claim: ids.next() };
  const now = clock.now();
  const isTaken = await store.schedules.takeOver(claim, { now, until: new Date(now.getTime() + claimMs) });
  const schedule = isTaken ? await store.schedules.find(scheduleId) : null;
  if (schedule === null) return null;
  // A message that waits in the queue is withdrawn, and then counts as not sent.
  if (conversationId !== null) await store.inputs.withdraw(conversationId, keyOf(run));
  const isSent = conversationId !== null && (await store.events.turnOf(conversationId, keyOf(run))) !== null;
  const decision = isSent ? { type: "send" as const } : decideAgain(schedule, dueAt, now);
  if (decision.type === "send") return { schedule, run, claim, isSent };
  const change = decision.type === "postpone" ? { claimedUntil: decision.to } : decision.state;
  const isRecorded = await store.schedules.record(claim, change);
  if (!isRecorded || decision.type === "postpone") return null;
  return { schedule, run: { ...run, ...decision.state }, claim, isSent };
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
  return { run: isFirst ? { schedule, run, claim, isSent: false } : null, nextAt: to };
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
  // A run that is taken over may belong to a schedule that was disabled meanwhile.
  if (schedule.isEnabled && now.getTime() - dueAt.getTime() <= missedMs) return { type: "send" };
  if (!schedule.isEnabled || schedule.onMissed === "skip")
    return { type: "skip", state: { status: "skipped", outcome: "missed" } };
  const quietUntil = quietEnd(schedule, now);
  if (quietUntil === null) return { type: "send" };
  if (schedule.onQuiet === "delay") return { type: "postpone", to: quietUntil };
  return { type: "skip", state: { status: "skipped", outcome: "quiet" } };
}

/** Like `decide`, but skips a message that would be postponed to the next due time of the schedule, or beyond it. */
function decideAgain(schedule: ScheduleRecord, dueAt: Date, now: Date): Decision {
  const decision = decide(schedule, dueAt, now);
  const isCovered = decision.type === "postpone" && schedule.nextAt !== null && schedule.nextAt <= decision.to;
  return isCovered ? { type: "skip", state: { status: "skipped", outcome: "quiet" } } : decision;
}

function earlier(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}

/** A run that this process has claimed. If its status is `running`, this process must send the message. */
interface ClaimedRun {
  readonly schedule: ScheduleRecord;
  readonly run: ScheduleRun;
  readonly claim: RunClaim;
  /** Whether an ended process has already sent the message: its turn is then followed, and continued if necessary. */
  readonly isSent: boolean;
}

/** The idempotency key of the run's message. */
function keyOf({ scheduleId, dueAt }: Pick<ScheduleRun, "scheduleId" | "dueAt">): string {
  return `schedule ${scheduleId} ${dueAt.toISOString()}`;
}

/** Milliseconds for which a claim prevents other processes from taking over the run, and milliseconds between its renewals. */
const claimMs = 60_000;
const renewMs = 20_000;

/** Codes of errors after which the turn continues, or can be continued, in another process. */
const unfinished = new Set(["runtime_closing", "lease_lost", "input_taken_over"]);

async function sendScheduled(
  deps: OperationDeps,
  claimed: ClaimedRun,
  onRun: NonNullable<RunSchedulesOptions["onRun"]>,
): Promise<void> {
  const { store, clock, log } = deps;
  const until = () => new Date(clock.now().getTime() + claimMs);
  const renew = async () => void (await store.schedules.record(claimed.claim, { claimedUntil: until() }));
  const stop = every(renewMs, renew, () => log("The claim of a scheduled message was not renewed."));
  try {
    const result = await resultOf(deps, claimed);
    if (result === null || !(await store.schedules.record(claimed.claim, result))) return;
    onRun({ ...claimed.run, ...result });
  } finally {
    stop();
  }
}

/** Sends the message and returns the change of the run; null if another process has the run, or should take it over. */
async function resultOf(deps: OperationDeps, claimed: ClaimedRun): Promise<RunChange | null> {
  try {
    return claimed.schedule.text.trim() === consolidateCommand
      ? await consolidate(deps, claimed.schedule)
      : await sendTo(deps, claimed);
  } catch (error) {
    if (!(error instanceof RuntimeError) || error instanceof StoreError) throw error;
    if (unfinished.has(error.code)) return null;
    if (error.code === "approval_pending") return { status: "skipped", outcome: "approval" };
    return error.code === "agent_busy"
      ? { status: "skipped", outcome: "busy", turnId: null }
      : { status: "failed", outcome: error.code };
  }
}

/** The text of a schedule that consolidates memory instead of sending a message: the command of the chat. */
const consolidateCommand = "/consolidate";

async function consolidate(deps: OperationDeps, { agentId }: ScheduleRecord): Promise<RunChange> {
  const run = await runUnasked(deps, await findAgent(deps, agentId));
  return { status: "ended", outcome: run?.status ?? "nothing" };
}

async function sendTo(deps: OperationDeps, claimed: ClaimedRun): Promise<RunChange | null> {
  const { schedule, run, claim } = claimed;
  const { schedules } = deps.store;
  const conversation = run.conversationId === null ? schedule.conversation : { id: run.conversationId };
  const agent = await openAgent(deps, schedule.agentId, { conversation });
  const { conversationId } = agent;
  if (!(await schedules.record(claim, { conversationId }))) return null;
  // The text is read again, because a forgetting can have changed it since the poll.
  const newest = await schedules.find(schedule.id);
  if (newest === null) return null;
  const { turnId, stopReason } = await sendOrContinue(deps, { ...claimed, schedule: newest }, agent);
  return { conversationId, turnId: turnId ?? run.turnId, status: "ended", outcome: stopReason ?? outcomeOf(agent) };
}

async function sendOrContinue(deps: OperationDeps, claimed: ClaimedRun, agent: Agent): Promise<Followed> {
  const { isSent } = claimed;
  const { text, onBusy } = claimed.schedule;
  const idempotencyKey = keyOf(claimed.run);
  // A scheduled message waits without a limit until the conversation is free, because no user is waiting for the reply.
  const waitMs = onBusy === "wait" || isSent ? Infinity : 0;
  // A message that is sent for the first time must not discard tool calls that wait.
  const onWaiting = isSent ? "supersede" : "refuse";
  const sent = await follow(deps, claimed, agent.send(text, { idempotencyKey, waitMs, onWaiting })).catch(ifNotStored);
  // A turn without an end is continued, because its process has ended. A turn that the user stopped cannot be resumed.
  const isLost = isSent && sent.stopReason === null && agent.unfinished;
  const turnId = sent.turnId ?? claimed.run.turnId;
  const options = turnId === null ? {} : { turnId };
  return isLost ? follow(deps, claimed, agent.resume(options)).catch(valueOn("nothing_to_resume", sent)) : sent;
}

interface Followed {
  readonly turnId: string | null;
  /** Why the turn ended; null if its end was not read. */
  readonly stopReason: string | null;
}

/** Reads a turn to its end, and records its id when it begins. */
async function follow(
  { store }: Pick<OperationDeps, "store">,
  { claim }: ClaimedRun,
  turn: AsyncIterable<AgentEvent>,
): Promise<Followed> {
  let turnId: string | null = null;
  let stopReason: string | null = null;
  for await (const event of turn) {
    if (event.turnId !== turnId) {
      ({ turnId } = event);
      await store.schedules.record(claim, { turnId });
    }
    if (event.type === "turn-end") ({ stopReason } = event);
  }
  return { turnId, stopReason };
}

/** Returns a result without a turn if the message was sent before, but its events were deleted. Throws other errors. */
function ifNotStored(error: unknown): Followed {
  if (error instanceof RequestError && error.code === "input_repeated") return { turnId: null, stopReason: null };
  throw error;
}

/** Returns the outcome of a turn from the state of the conversation, if the end of the turn was not read. */
function outcomeOf({ pendingApprovals, pendingResults }: Agent): string {
  if (pendingApprovals.length > 0) return "awaiting-approval";
  return pendingResults.length > 0 ? "awaiting-result" : "unknown";
}
