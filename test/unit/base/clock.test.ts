// The system's clock: only a background wait does not keep the process alive, and no wait is too long for Node's timers.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { systemClock, within } from "../../../src/base/clock.ts";
import { packageRoot } from "../../../src/base/package-root.ts";

/** The outcome of a process that only waits for a second. */
function waitInAProcess(options: string): string {
  const clock = path.join(packageRoot(), "dist/src/base/clock.js");
  const program = `
    import { systemClock } from ${JSON.stringify(clock)};
    systemClock.sleep(1000, undefined, ${options}).then(() => process.stdout.write("waited"));`;
  return spawnSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" }).stdout;
}

describe("a wait", () => {
  it("keeps the process alive", () => {
    expect(waitInAProcess("{}")).toBe("waited");
  });

  it("in the background does not", () => {
    expect(waitInAProcess("{ background: true }")).toBe("");
  });

  // Both waits begin before the short one, so that they would end before it if their time were 1 ms, as Node's would be.
  it.each([2 ** 31, Infinity])("is not cut short: %d ms", async (ms) => {
    const ended = new AbortController();
    const long = systemClock.sleep(ms, ended.signal).catch((reason: unknown) => reason);
    let isDone = false;
    const work = systemClock.sleep(20).then(() => void (isDone = true));
    await within(work, ms);
    expect(isDone).toBe(true);
    ended.abort("ended by the test");
    expect(await long).toBe("ended by the test");
  });
});
