// Creating, changing and deleting schedules; input that is refused writes nothing.
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { ScheduleOptions } from "../../src/runtime/schedules/contract.ts";
import { createManualClock, type ManualClock } from "../support/manual-clock.ts";
import { useRuntimes } from "../support/runtime.ts";

const runtimes = useRuntimes();
let runtime: Runtime;
let clock: ManualClock;
const daily = { text: "Good morning", cron: "0 9 * * *" };

beforeAll(async () => {
  clock = createManualClock();
  runtime = await runtimes.open({ model: "demo", clock });
  await runtime.agents.create({ name: "main", settings: { timeZone: "Europe/Lisbon" } });
});
afterEach(async () => {
  for (const { id } of await runtime.schedules.list("main")) await runtime.schedules.delete(id);
});

test("a schedule has the agent's time zone and the default policies", async () => {
  const schedule = await runtime.schedules.create("main", daily);
  expect(schedule).toMatchObject({
    ...daily,
    at: null,
    timeZone: "Europe/Lisbon",
    conversation: "last",
    isEnabled: true,
    onBusy: "wait",
    onMissed: "run",
    quietHours: null,
    onQuiet: "delay",
    nextAt: new Date("2026-01-01T09:00:00Z"),
  });
  expect(await runtime.schedules.list("main")).toEqual([schedule]);
});

const refused: readonly (readonly [string, Partial<ScheduleOptions>, RegExp])[] = [
  ["a blank text", { text: " \n" }, /some text/u],
  ["no time", { cron: undefined as never }, /neither/u],
  ["two kinds of time", { at: new Date("2026-05-01T00:00:00Z") }, /both/u],
  ["a malformed expression", { cron: "every day" }, /five fields.*"every day"/u],
  ["seconds", { cron: "* * * * * *" }, /five fields/u],
  ["a day that never comes", { cron: "0 9 31 2 *" }, /never due/u],
  ["a past time", { cron: undefined as never, at: new Date("2025-01-01T00:00:00Z") }, /in the future/u],
  [
    "an invalid date",
    { cron: undefined as never, at: new Date("never") },
    /`at` to be a Date with a time in the years 1 to 9999, got an invalid Date/u,
  ],
  ["an unknown zone", { timeZone: "Atlantis" }, /IANA.*"Atlantis"/u],
  ["malformed quiet hours", { quietHours: "22-7" }, /22:00-07:00.*"22-7"/u],
  ["quiet hours all day", { quietHours: "07:00-07:00" }, /two times/u],
  ["quiet hours that cover every time", { quietHours: "08:00-10:00", onQuiet: "skip" }, /outside of the quiet hours/u],
  ["an unknown policy", { onBusy: "later" as never }, /`onBusy` to be "wait" or "skip", got a string/u],
];

test.each(refused)("%s is refused", async (_what, change, message) => {
  const creating = runtime.schedules.create("main", { ...daily, ...change });
  await expect(creating).rejects.toMatchObject({ code: "input_invalid", message: expect.stringMatching(message) });
  expect(await runtime.schedules.list("main")).toEqual([]);
});

test("a change that is refused leaves the schedule as it was", async () => {
  const schedule = await runtime.schedules.create("main", daily);
  await expect(runtime.schedules.update(schedule.id, { cron: "x" })).rejects.toMatchObject({ code: "input_invalid" });
  expect(await runtime.schedules.list("main")).toEqual([schedule]);
});

test("a disabled schedule is not due until it is enabled", async () => {
  const { id } = await runtime.schedules.create("main", daily);
  expect(await runtime.schedules.update(id, { isEnabled: false })).toMatchObject({ isEnabled: false, nextAt: null });
  expect(await runtime.schedules.update(id, { text: "Hello" })).toMatchObject({ text: "Hello", nextAt: null });
  const enabled = await runtime.schedules.update(id, { isEnabled: true });
  expect(enabled.nextAt).toEqual(new Date("2026-01-01T09:00:00Z"));
});

test("a time replaces an expression, and the other way round", async () => {
  const { id } = await runtime.schedules.create("main", daily);
  const at = new Date("2026-05-01T12:00:00Z");
  expect(await runtime.schedules.update(id, { at })).toMatchObject({ cron: null, at, nextAt: at });
  expect(await runtime.schedules.update(id, { cron: "0 8 * * *" })).toMatchObject({ cron: "0 8 * * *", at: null });
});

const hourMs = 3_600_000;

test("a change that changes no time leaves a due time as it is, also one that has come or is delayed", async () => {
  const due = await runtime.schedules.create("main", daily);
  const at = new Date("2026-01-01T08:00:00Z");
  const single = { text: "Good morning", at, quietHours: "07:30-11:00" };
  const delayed = await runtime.schedules.create("main", single);
  await clock.advance(10 * hourMs);
  const same = { cron: daily.cron, timeZone: "Europe/Lisbon", isEnabled: true };
  expect(await runtime.schedules.update(due.id, { text: "Hello", ...same })).toEqual({ ...due, text: "Hello" });
  expect(await runtime.schedules.update(delayed.id, { text: "Hello" })).toEqual({ ...delayed, text: "Hello" });
  expect(delayed.nextAt).toEqual(new Date("2026-01-01T11:00:00Z"));
  await expect(runtime.schedules.update(delayed.id, { at })).rejects.toMatchObject({ code: "input_invalid" });
});

test("two changes at once keep what each of them changes", async () => {
  const { id } = await runtime.schedules.create("main", daily);
  const changes = [{ text: "Hello" }, { onBusy: "skip" }, { cron: "0 8 * * *" }] as const;
  await Promise.all(changes.map((change) => runtime.schedules.update(id, change)));
  expect(await runtime.schedules.list("main")).toMatchObject([{ text: "Hello", onBusy: "skip", cron: "0 8 * * *" }]);
});
