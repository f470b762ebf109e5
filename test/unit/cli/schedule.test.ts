// `palimpsest schedule`: a real runtime's schedules, as a person and a script read them.
import { runInWorld } from "../../support/fake-world.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { useRuntimes } from "../../support/runtime.ts";

const hourMs = 3_600_000;
const idle = "palimpsest: No process is sending scheduled messages at present: start `palimpsest schedule run`.\n";

const runtimes = useRuntimes();

test("messages are added, listed, sent, looked up and removed", async () => {
  const clock = createManualClock();
  const open = () => runtimes.open({ model: "demo", clock });
  await (await open()).agents.create({ name: "main" });
  const run = async (...argv: string[]) => {
    const { stdout, stderr, exitCode } = await runInWorld(["schedule", ...argv], { openRuntime: open });
    expect(exitCode).toBe(0);
    return { stdout, stderr };
  };
  expect((await run("list")).stdout).toBe("No messages are scheduled.\n");
  const added = await run("add", "Good morning", "--cron", "0 1 * * *", "--on-missed", "skip", "--json");
  expect(added.stderr).toBe(idle);
  const schedule = JSON.parse(added.stdout);
  const { id } = schedule;
  expect(schedule).toMatchObject({ cron: "0 1 * * *", at: null, timeZone: "UTC", onMissed: "skip", onBusy: "wait" });
  const line = (next: string) => `${id}  0 1 * * * (UTC)  next ${next} 01:00 UTC\n  Good morning\n`;
  expect((await run("list")).stdout).toBe(line("2026-01-01"));
  expect((await run("history", id)).stdout).toBe("No message was sent yet.\n");

  await clock.advance(hourMs);
  const stop = new AbortController();
  const sent: string[] = [];
  const runtime = await open();
  await runtime.schedules.run({ signal: stop.signal, onRun: ({ status }) => (sent.push(status), stop.abort()) });
  expect(sent).toEqual(["ended"]);
  expect((await run("list")).stdout).toBe(line("2026-01-02"));
  expect((await run("history", id)).stdout).toMatch(
    /^2026-01-01 01:00 UTC {2}\S+ {2}ended: end-turn {2}conversation /u,
  );
  expect(JSON.parse((await run("history", id, "--json")).stdout)).toMatchObject([{ scheduleId: id, status: "ended" }]);

  const once = await run("add", "Fly", "--once", "2026-12-24T18:00+01:00", "--new");
  expect(once.stdout).toContain("once 2026-12-24 17:00 UTC  next 2026-12-24 17:00 UTC\n  Fly\n");
  expect(once.stderr).toBe("");
  expect((await run("remove", id)).stdout).toBe(`Deleted the schedule ${id}.\n`);
  expect(JSON.parse((await run("list", "--json")).stdout)).toMatchObject([{ text: "Fly", conversation: "new" }]);
});

test("run prints what it sends until it is stopped", async () => {
  const clock = createManualClock();
  const runtime = await runtimes.open({ model: "demo", clock, userId: "runner" });
  await runtime.agents.create({ name: "main" });
  await runtime.schedules.create("main", { text: "Hello", cron: "0 1 * * *", onMissed: "skip" });
  await clock.advance(2 * hourMs);
  const stop = new AbortController();
  const running = runInWorld(["schedule", "run", "--json"], { runtime, signal: stop.signal });
  while (clock.waits.length === 0) await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  const { stdout, stderr, exitCode } = await running;
  expect(exitCode).toBe(0);
  expect(stderr).toBe("palimpsest: Sending scheduled messages when they are due. Ctrl+C stops.\n");
  expect(JSON.parse(stdout)).toMatchObject({ status: "skipped", outcome: "missed", dueAt: "2026-01-01T01:00:00.000Z" });
});

test.each([
  [["--cron", "0 9 * * *", "--on-busy", "later"], "--on-busy: expected wait or skip, got"],
  [["--once", "tomorrow"], "--once: expected a time in the years 1 to 9999 with its zone"],
  [["--once", "2026-12-24T18:00"], "--once: expected a time in the years 1 to 9999 with its zone"],
])("add refuses %j", async (flags, message) => {
  const { exitCode, stderr, opened } = await runInWorld(["schedule", "add", "Hello", ...flags]);
  expect(stderr).toContain(message);
  expect({ exitCode, opened }).toEqual({ exitCode: 2, opened: undefined });
});
