// Every function of a user's store for schedules, called by somebody else with this user's ids.
import type { PortCase } from "./isolation-source-cases.ts";
import type { FilledTalk } from "./isolation-scene.ts";
import { ids, newSchedule, scheduleDue } from "./store-builders.ts";

const later = new Date("2030-01-01T00:00:00Z");
const claimOf = ({ scheduleId }: FilledTalk) => ({ scheduleId, dueAt: scheduleDue, claim: ids.next() });

export const scheduleCases: Readonly<Record<string, PortCase>> = {
  "schedules.create": {
    call: (user, of) => user.schedules.create(newSchedule(of.agentId, "intrusion")),
    gives: "agent_not_found",
  },
  "schedules.find": { call: (user, of) => user.schedules.find(of.scheduleId), gives: null },
  "schedules.list": {
    call: async (user, of) => (await user.schedules.list(of.agentId)).filter(({ id }) => id === of.scheduleId),
    gives: [],
  },
  "schedules.update": { call: (user, of) => user.schedules.update(of.scheduleId, { text: "intrusion" }), gives: false },
  "schedules.delete": { call: (user, of) => user.schedules.delete(of.scheduleId), gives: false },
  "schedules.runs": { call: (user, of) => user.schedules.runs(of.scheduleId, 10), gives: [] },
  "schedules.poll": {
    call: async (user, of) => {
      const { due, abandoned } = await user.schedules.poll(later);
      return [...due.map(({ id }) => id), ...abandoned.map(({ scheduleId }) => scheduleId)].includes(of.scheduleId);
    },
    gives: false,
  },
  // Of the user's own row: the stranger's poll is the one before.
  "schedules.polledAt": {
    call: async (user) => ((await user.schedules.polledAt()) ?? later).getTime() === later.getTime(),
    gives: true,
  },
  "schedules.advance": {
    call: (user, of) => user.schedules.advance(of.scheduleId, { from: scheduleDue, to: null, run: null }),
    gives: false,
  },
  "schedules.takeOver": {
    call: (user, of) => user.schedules.takeOver(claimOf(of), { now: later, until: later }),
    gives: false,
  },
  "schedules.record": {
    call: (user, of) => user.schedules.record(claimOf(of), { status: "failed" }),
    gives: false,
  },
};
