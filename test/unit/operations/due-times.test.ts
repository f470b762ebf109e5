// When schedules are due: cron expressions, single times, quiet hours and daylight saving; and that a runner waits for them
// while the store fails.
import fc from "fast-check";
import { StoreError } from "../../../src/base/errors.ts";
import { createBackgroundWork } from "../../../src/runtime/operations/background-work.ts";
import type { OperationDeps } from "../../../src/runtime/operations/operation-deps.ts";
import { cronFault, nextDue, quietEnd, type ScheduleTimes } from "../../../src/runtime/schedules/due-times.ts";
import { createScheduleOperations } from "../../../src/runtime/schedules/schedule-operations.ts";
import { createHurriedClock } from "../../support/manual-clock.ts";

const daily: ScheduleTimes = {
  cron: "0 9 * * *",
  at: null,
  timeZone: "UTC",
  isEnabled: true,
  quietHours: null,
  onQuiet: "delay",
};

function due(change: Partial<ScheduleTimes>, after: string): string | null {
  return nextDue({ ...daily, ...change }, new Date(after))?.toISOString() ?? null;
}

test.each([
  ["the same day", {}, "2026-11-23T08:59:59.999Z", "2026-11-23T09:00:00.000Z"],
  ["strictly after the moment", {}, "2026-11-23T09:00:00.000Z", "2026-11-24T09:00:00.000Z"],
  ["in its zone", { timeZone: "Europe/Lisbon" }, "2026-07-01T00:00:00Z", "2026-07-01T08:00:00.000Z"],
  ["on weekdays", { cron: "30 9 * * 1-5" }, "2026-11-20T12:00:00Z", "2026-11-23T09:30:00.000Z"],
  ["never, if disabled", { isEnabled: false }, "2026-11-23T00:00:00Z", null],
  ["never, on a day that does not exist", { cron: "0 9 30 2 *" }, "2026-11-23T00:00:00Z", null],
])("a cron expression is due %s", (_when, change, after, expected) => {
  expect(due(change, after)).toBe(expected);
});

test.each([
  ["0 9 * * 1-5", null],
  ["@daily", null],
  ["every day", "the number of its fields is 2."],
  ["0 0 9 * * *", "the number of its fields is 6."],
  ["0 25 * * *", '"25" is not valid as the hour (0 to 23).'],
  ["x 9 * * *", '"x" is not valid as the minute (0 to 59).'],
  ["0 9 * * 1-9", '"1-9" is not valid as the day of the week (0 to 7).'],
])("the fault of %s is said in own words", (cron, fault) => {
  expect(cronFault(cron)).toBe(fault);
});

test("a local time that daylight saving leaves out is due once, and one that it repeats too", () => {
  const inSpring = { cron: "30 1 * * *", timeZone: "Europe/Lisbon" };
  expect(due(inSpring, "2026-03-28T12:00:00Z")?.slice(0, 10)).toBe("2026-03-29");
  expect(due(inSpring, "2026-03-29T02:00:00Z")).toBe("2026-03-30T00:30:00.000Z");
  const first = due(inSpring, "2026-10-24T12:00:00Z");
  expect(first?.slice(0, 10)).toBe("2026-10-25");
  expect(due(inSpring, first!)).toBe("2026-10-26T01:30:00.000Z");
});

test("a list of times is due at each of them once, also on days when the clocks change", () => {
  const twice = { cron: "30 1,13 * * *", timeZone: "Europe/Lisbon" };
  expect(due(twice, "2026-10-24T12:30:00Z")).toBe("2026-10-25T00:30:00.000Z");
  expect(due(twice, "2026-10-25T00:30:00Z")).toBe("2026-10-25T13:30:00.000Z");
  expect(due(twice, "2027-03-27T13:30:00Z")).toBe("2027-03-28T01:00:00.000Z");
  expect(due(twice, "2027-03-28T01:00:00Z")).toBe("2027-03-28T12:30:00.000Z");
});

test("a single time is due once", () => {
  const once = { cron: null, at: new Date("2026-12-24T18:00:00Z") };
  expect(due(once, "2026-11-23T00:00:00Z")).toBe("2026-12-24T18:00:00.000Z");
  expect(due(once, "2026-12-24T18:00:00Z")).toBeNull();
});

describe("quiet hours", () => {
  const hourly = { cron: "0 * * * *", quietHours: "22:00-07:00" };

  test.each([
    ["before they begin", "2026-11-23T20:30:00Z", "2026-11-23T21:00:00.000Z"],
    ["at their end", "2026-11-23T21:00:00Z", "2026-11-24T07:00:00.000Z"],
    ["after their end", "2026-11-24T07:00:00Z", "2026-11-24T08:00:00.000Z"],
  ])("delay to their end: due %s", (_when, after, expected) => {
    expect(due(hourly, after)).toBe(expected);
  });

  test("delay a single time", () => {
    const once = { cron: null, at: new Date("2026-12-24T23:15:00Z"), quietHours: "22:00-07:00" };
    expect(due(once, "2026-11-23T00:00:00Z")).toBe("2026-12-25T07:00:00.000Z");
    expect(due({ ...once, onQuiet: "skip" }, "2026-11-23T00:00:00Z")).toBeNull();
  });

  test("skip what is due in them", () => {
    const midnight = { cron: "30 3,12 * * *", quietHours: "22:00-07:00", onQuiet: "skip" } as const;
    expect(due(midnight, "2026-11-23T13:00:00Z")).toBe("2026-11-24T12:30:00.000Z");
    expect(due({ ...midnight, cron: "30 3 * * *" }, "2026-11-23T13:00:00Z")).toBeNull();
  });

  test("are local", () => {
    const lisbon = { ...daily, timeZone: "Europe/Lisbon", quietHours: "22:00-07:00" };
    expect(quietEnd(lisbon, new Date("2026-07-01T05:59:00Z"))?.toISOString()).toBe("2026-07-01T06:00:00.000Z");
    expect(quietEnd(lisbon, new Date("2026-07-01T06:00:00Z"))).toBeNull();
  });

  test("contain no due time, whatever the schedule, and due times move on", () => {
    const zone = fc.constantFrom("UTC", "Europe/Lisbon", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe");
    const field = (max: number) => fc.oneof(fc.constant("*"), fc.integer({ min: 0, max }).map(String));
    const time = fc
      .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
      .map((parts) => parts.map((part) => String(part).padStart(2, "0")).join(":"));
    const hours = fc.tuple(time, time).filter(([start, end]) => start !== end);
    fc.assert(
      fc.property(
        fc.record({ zone, minute: field(59), hour: field(23), hours, onQuiet: fc.constantFrom("delay", "skip") }),
        fc.date({ min: new Date("2026-01-01"), max: new Date("2027-12-31"), noInvalidDate: true }),
        ({ zone: timeZone, minute, hour, hours: [start, end], onQuiet }, after) => {
          const times = { ...daily, cron: `${minute} ${hour} * * *`, timeZone, quietHours: `${start}-${end}`, onQuiet };
          const next = nextDue(times, after);
          if (next === null) return onQuiet === "skip";
          return next > after && quietEnd(times, next) === null;
        },
      ),
      { numRuns: 40 },
    );
  });
});

test.each(["store_unreachable", "store_full", "store_timeout"] as const)(
  "a runner continues after %s",
  async (code) => {
    const clock = createHurriedClock();
    const lines: string[] = [];
    const log = (line: string): void => void lines.push(line);
    const stop = new AbortController();
    const failures = [new StoreError(code, "the store fails once")];
    const poll = async () => {
      const failure = failures.pop();
      if (failure !== undefined) throw failure;
      stop.abort();
      return { due: [], abandoned: [], nextAt: null };
    };
    const background = createBackgroundWork({ log, clock });
    const deps = { store: { schedules: { poll } }, clock, background, log } as unknown as OperationDeps;
    await createScheduleOperations(deps).run({ signal: stop.signal });
    expect(lines).toEqual(["Schedules were not fired and will be tried again: the store fails once"]);
  },
);
