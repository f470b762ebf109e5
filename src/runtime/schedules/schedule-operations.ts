// Operations on schedules: creates, changes, lists and runs them.
// Invariant: if an input is refused, nothing is written.
import { RequestError } from "../../base/errors.ts";
import type { ScheduleRecord } from "../../store/port/schedule-store.ts";
import { type ScheduleOperations, scheduleDefaults } from "./contract.ts";
import { findAgent, findReadable } from "../agents/find-agent.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";
import { fireSchedules } from "./fire-schedules.ts";
import { runSchedules } from "./run-schedules.ts";
import { changedSchedule } from "./schedule-input.ts";

const maxRuns = 100;

export function createScheduleOperations(deps: OperationDeps): ScheduleOperations {
  const { store, ids, clock } = deps;
  const { schedules } = store;
  return {
    async create(name, options) {
      const agent = await findAgent(deps, name);
      const now = clock.now();
      const { timeZone } = agent.settings;
      const draft = changedSchedule({ ...scheduleDefaults, timeZone }, options, now);
      const schedule = { ...draft, id: ids.next(), agentId: agent.id, createdAt: now };
      await schedules.create(schedule);
      return schedule;
    },
    list: async (name) => schedules.list((await findReadable(deps, name)).id),
    async update(id, change) {
      const current = await requireSchedule(deps, id);
      const { id: _id, agentId: _agent, createdAt: _created, ...draft } = current;
      const changed = changedSchedule(draft, change, clock.now());
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
