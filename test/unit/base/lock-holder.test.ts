// Whether the process that holds a lock still runs.
import { isHolderRunning, runningSince, thisHolder } from "../../../src/base/lock-holder.ts";
import { startUnnoticedChild } from "../../support/unnoticed-child.ts";

it("counts this process as running, and another process with its pid as ended", () => {
  expect(isHolderRunning(thisHolder())).toBe(true);
  expect(isHolderRunning({ ...thisHolder(), startedAt: "another time" })).toBe(false);
  expect(isHolderRunning({ ...thisHolder(), boot: "another boot" })).toBe(false);
});

it.each([0, -1, Number.NaN, 999_999_999])("knows no process with the pid %d", (pid) => {
  expect(runningSince(pid)).toBeNull();
});

// Only Linux shows the state of another process as a file.
(process.platform === "linux" ? it : it.skip)(
  "counts a killed process as ended before its parent has noticed",
  async () => {
    const child = await startUnnoticedChild();
    try {
      const holder = { ...thisHolder(), pid: child.pid, startedAt: child.startedAt };
      expect(isHolderRunning(holder)).toBe(true);
      await child.kill();
      expect(isHolderRunning(holder)).toBe(false);
    } finally {
      child.close();
    }
  },
);
