// Every function of a user's store for schedules, called by somebody else with this user's ids.
import type { PortCase } from "./isolation-source-cases.ts";
import type { FilledTalk } from "./isolation-scene.ts";
import { ids, newSchedule, scheduleDue } from "./store-builders.ts";

const later = new Date("2030-01-01T00:00:00Z");
const claimOf = ({ scheduleId }: FilledTalk) => ({ scheduleId, dueAt: scheduleDue, claim: ids.next() });

export const scheduleCases: Readonly<Record<string, PortCase>> = {
  "schedules.create": [(user, of) => user.schedules.create(newSchedule(of.agentId, "intrusion")), "agent_not_found"],
  "schedules.find": [(user, of) => user.schedules.find(of.scheduleId), null],
  "schedules.list": [
    async (user, of) => (await user.schedules.list(of.agentId)).filter(({ id }) => id === of.scheduleId),
    [],
  ],
  "schedules.update": [(user, of) => user.schedules.update(of.scheduleId, { text: "intrusion" }), false],
  "schedules.delete": [(user, of) => user.schedules.delete(of.scheduleId), false],
  "schedules.runs": [(user, of) => user.schedules.runs(of.scheduleId, 10), []],
  "schedules.poll": [
    async (user, of) => {
      const { due, abandoned } = await user.schedules.poll(later);
      return [...due.map(({ id }) => id), ...abandoned.map(({ scheduleId }) => scheduleId)].includes(of.scheduleId);
    },
    false,
  ],
  // Of the user's own row: the stranger's poll is the one before.
  "schedules.polledAt": [
    async (user) => ((await user.schedules.polledAt()) ?? later).getTime() === later.getTime(),
    true,
  ],
  "schedules.advance": [
    (user, of) => user.schedules.advance(of.scheduleId, { from: scheduleDue, to: null, run: null }),
    false,
  ],
  "schedules.takeOver": [(user, of) => user.schedules.takeOver(claimOf(of), { now: later, until: later }), false],
  "schedules.record": [(user, of) => user.schedules.record(claimOf(of), { status: "failed" }), false],
};
