// The system's clock: only a background wait does not keep the process alive.
import { spawnSync } from "node:child_process";
import path from "node:path";
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
});
