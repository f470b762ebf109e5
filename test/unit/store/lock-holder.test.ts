// Whether the process that holds a lock still runs.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { isHolderRunning, thisHolder } from "../../../src/store/embedded/lock-holder.ts";

it("counts this process as running, and another process with its pid as ended", () => {
  expect(isHolderRunning(thisHolder())).toBe(true);
  expect(isHolderRunning({ ...thisHolder(), startedAt: "another time" })).toBe(false);
});

// Only Linux shows the state of another process as a file.
(process.platform === "linux" ? it : it.skip)(
  "counts a killed process as ended before its parent has noticed",
  async () => {
    // The second `sleep` replaces the shell, and never asks for the exit code of the first one.
    const parent = spawn("sh", ["-c", "sleep 60 & echo $!; exec sleep 60"], { stdio: ["ignore", "pipe", "ignore"] });
    try {
      const [line] = (await once(createInterface({ input: parent.stdout }), "line")) as [string];
      const pid = Number(line);
      const fields = (): readonly string[] => readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
      const holder = { ...thisHolder(), pid, startedAt: fields()[19]! };
      expect(isHolderRunning(holder)).toBe(true);
      process.kill(pid, "SIGKILL");
      while (fields()[0] !== "Z") await new Promise((resolve) => setTimeout(resolve, 10));
      expect(isHolderRunning(holder)).toBe(false);
    } finally {
      parent.kill("SIGKILL");
    }
  },
);
