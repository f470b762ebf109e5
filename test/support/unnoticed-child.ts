// A process whose parent never asks for its exit code: after it was killed, it keeps its pid. Only on Linux, which shows the state
// of another process as a file.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

export interface UnnoticedChild {
  readonly pid: number;
  readonly startedAt: string;
  /** Kills it, and resolves when it has ended. */
  kill(): Promise<void>;
  /** Ends its parent. */
  close(): void;
}

export async function startUnnoticedChild(): Promise<UnnoticedChild> {
  // The second `sleep` replaces the shell, and never asks for the exit code of the first one.
  const parent = spawn("sh", ["-c", "sleep 60 & echo $!; exec sleep 60"], { stdio: ["ignore", "pipe", "ignore"] });
  const [line] = (await once(createInterface({ input: parent.stdout }), "line")) as [string];
  const pid = Number(line);
  // The shell, too, would ask for the exit code until it is replaced.
  const pause = () => new Promise((resolve) => setTimeout(resolve, 10));
  while (readFileSync(`/proc/${parent.pid}/comm`, "utf8") !== "sleep\n") await pause();
  const fields = (): readonly string[] => readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  return {
    pid,
    startedAt: fields()[19]!,
    async kill() {
      process.kill(pid, "SIGKILL");
      while (fields()[0] !== "Z") await pause();
    },
    close: () => void parent.kill("SIGKILL"),
  };
}
