// Work that waits for a pause: what ends the wait, what ends the work, and what of it is a failure.
import { createBackgroundWork } from "../../../src/runtime/operations/background-work.ts";
import { createManualClock } from "../../support/manual-clock.ts";

function scene() {
  const [lines, done]: [string[], string[]] = [[], []];
  const clock = createManualClock();
  const work = createBackgroundWork({ log: (line) => lines.push(line), clock });
  const wait = (name: string) => work.runWhenIdle("one", 10, async () => void done.push(name));
  return { lines, done, clock, work, wait };
}

test("another call begins the wait anew, and an interruption or closing ends it", async () => {
  const { done, clock, work, wait } = scene();
  wait("first");
  await clock.advance(9);
  wait("second");
  await clock.advance(9);
  expect(done).toEqual([]);
  await clock.advance(1);
  expect(done).toEqual(["second"]);
  wait("third");
  work.interrupt("one");
  await clock.advance(10);
  wait("fourth");
  await work.close();
  await clock.advance(10);
  expect(done).toEqual(["second"]);
});

test("work that is interrupted has not failed, and other work has", async () => {
  const { lines, clock, work } = scene();
  work.runWhenIdle("one", 10, (signal) => clock.sleep(10, signal));
  await clock.advance(10);
  work.interrupt("one");
  await work.idle();
  expect(lines).toEqual([]);
  work.runWhenIdle("one", 10, async () => Promise.reject(new Error("down")));
  await clock.advance(10);
  await work.idle();
  expect(lines).toEqual(["one failed: down"]);
});

test("work of a caller ends by an interruption of its name and by closing, also if it begins then", async () => {
  const { work } = scene();
  const begin = (name: string) =>
    work.runInterruptibly({ stage: work.stageOf(name), reason: () => new Error("a turn") }, async (signal) => {
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
      signal.throwIfAborted();
    });
  const [one, other] = [begin("one"), begin("other")];
  work.runWhenIdle("other", 10, async () => undefined);
  work.stageOf("one").beforeTurn?.();
  await expect(one).rejects.toThrow("a turn");
  expect(work.stageOf("one").beforeTurn).toBeUndefined();
  await Promise.all([expect(other).rejects.toMatchObject({ code: "runtime_closing" }), work.close()]);
  await expect(begin("late")).rejects.toMatchObject({ code: "runtime_closing" });
});
