// Creates, changes, lists and runs schedules.
// Invariant: if an input is refused, nothing is written. A stored schedule has a valid expression or time, time zone and quiet
// hours. If it is enabled, it had a due time in the future when its times were set. `run` continues after an outage of
// the store, and ends when its signal aborts or its runtime closes.
import { inputInvalid, RequestError, StoreError } from "../../base/errors.ts";
import type { ScheduleChange, ScheduleRecord } from "../../store/port/schedule-store.ts";
import {
  type RunSchedulesOptions,
  scheduleDefaults,
  type ScheduleOperations,
  type ScheduleOptions,
} from "./contract.ts";
import { findAgent, findReadable } from "../agents/find-agent.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";
import { fireSchedules } from "./fire-schedules.ts";
import { isTimeZone } from "../../base/calendar.ts";
import { cronFault, isQuietHours, nextDue } from "./due-times.ts";

const maxRuns = 100;

export function createScheduleOperations(deps: OperationDeps): ScheduleOperations {
  const { store, ids, clock } = deps;
  const { schedules } = store;
  return {
    async create(name, options) {
      const agent = await findAgent(deps, name);
      const now = clock.now();
      const { timeZone } = agent.settings;
      const draft = { ...scheduleDefaults, timeZone };
      const changed = changeOf(draft, options, now);
      const schedule = { ...draft, ...changed, id: ids.next(), agentId: agent.id, createdAt: now };
      await schedules.create(schedule);
      return schedule;
    },
    list: async (name) => schedules.list((await findReadable(deps, name)).id),
    async update(id, change) {
      const current = await requireSchedule(deps, id);
      const changed = changeOf(current, change, clock.now());
      if (!(await schedules.update(id, changed))) throw scheduleNotFound(id);
      return { ...current, ...changed };
    },
    async delete(id) {
      if (!(await schedules.delete(id))) throw scheduleNotFound(id);
    },
    async runs(id, limit = maxRuns) {
      await requireSchedule(deps, id);
      return schedules.runs(id, limit);
    },
    lastPolledAt: () => schedules.polledAt(),
    fire: ({ onRun } = {}) => fireSchedules(deps, onRun),
    run: (options = {}) => runSchedules(deps, options),
  };
}

async function requireSchedule({ store }: Pick<OperationDeps, "store">, id: string): Promise<ScheduleRecord> {
  const found = await store.schedules.find(id);
  if (found === null) throw scheduleNotFound(id);
  return found;
}

function scheduleNotFound(id: string): RequestError {
  return new RequestError(
    "schedule_not_found",
    `There is no schedule "${id}" for this user. \`runtime.schedules.list()\` lists the schedules of an agent.`,
  );
}

/** Maximum milliseconds between two polls, so that a schedule that another process has added is fired in time. */
const maxPauseMs = 10_000;

/** Codes of failures of the store that can end by themselves, such as a full disk. */
const passing: ReadonlySet<string> = new Set(["store_unreachable", "store_full", "store_timeout"]);

/** Runs until the signal is aborted or the runtime closes. Throws StoreError, except for temporary failures. */
async function runSchedules(deps: OperationDeps, { signal, onRun }: RunSchedulesOptions): Promise<void> {
  const { clock, background, log } = deps;
  const closing = new AbortController();
  background.atClose(async () => closing.abort());
  const stopped = signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal]);
  while (!stopped.aborted) {
    let pauseMs = maxPauseMs;
    try {
      const { nextAt } = await fireSchedules(deps, onRun);
      if (nextAt !== null) pauseMs = Math.min(Math.max(nextAt.getTime() - clock.now().getTime(), 0), maxPauseMs);
    } catch (error) {
      if (!(error instanceof StoreError && passing.has(error.code))) throw error;
      log(`Schedules were not fired and will be tried again: ${error.message}`);
    }
    try {
      await clock.sleep(pauseMs, stopped);
    } catch (error) {
      if (!stopped.aborted) throw error;
    }
  }
}

/** A schedule without the fields that the store adds. */
type ScheduleDraft = Omit<ScheduleRecord, "id" | "agentId" | "createdAt">;

/**
 * Returns the fields to write, with the next due time after `now` if the change changes the times. Throws RequestError
 * `input_invalid`.
 */
function changeOf(current: ScheduleDraft, change: Partial<ScheduleOptions>, now: Date): ScheduleChange {
  if (change.cron !== undefined && change.at !== undefined)
    throw inputInvalid("Expected a cron expression or a time, got both.");
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const times = change.cron === undefined ? (change.at === undefined ? {} : { cron: null }) : { at: null };
  const written: ScheduleChange = { ...given, ...times };
  const changed = { ...current, ...written };
  checkSchedule(changed);
  // If no option about times changes, the next due time stays: a time that has come or is delayed stays due, and a past time
  // does not become due again.
  if (change.at === undefined && timeFields.every((name) => changed[name] === current[name])) return written;
  const nextAt = nextDue(changed, now);
  if (nextAt === null && changed.isEnabled) throw neverDue(changed, now);
  return { ...written, nextAt };
}

/** The fields, besides `at`, that determine when a schedule is due. */
const timeFields = ["cron", "timeZone", "isEnabled", "quietHours", "onQuiet"] as const;

function checkSchedule(schedule: ScheduleDraft): void {
  const { text, cron, at, timeZone, quietHours } = schedule;
  if (text.trim() === "") throw inputInvalid("Expected a message with some text in it, got a blank one.");
  if (cron === null && at === null) throw inputInvalid("Expected a cron expression or a time, got neither.");
  if (at !== null && Number.isNaN(at.getTime())) throw inputInvalid("Expected a time, got an invalid date.");
  const fault = cron === null ? null : cronFault(cron);
  if (fault !== null) {
    throw inputInvalid(`Expected a cron expression with five fields such as "0 9 * * 1-5", got "${cron}": ${fault}`);
  }
  if (!isTimeZone(timeZone)) throw inputInvalid(`Expected an IANA time zone such as Europe/Lisbon, got "${timeZone}".`);
  if (quietHours !== null && !isQuietHours(quietHours)) {
    throw inputInvalid(`Expected quiet hours as two times such as 22:00-07:00, got "${quietHours}".`);
  }
}

function neverDue({ at, quietHours }: ScheduleDraft, now: Date): RequestError {
  if (at !== null && at <= now) {
    return inputInvalid(
      `Expected a time in the future, got ${at.toISOString()}; the time now is ${now.toISOString()}.`,
    );
  }
  const quiet = quietHours === null ? "" : ` outside of the quiet hours ${quietHours}`;
  return inputInvalid(`Expected a schedule that is due at some time${quiet}, got a schedule that is never due.`);
}
