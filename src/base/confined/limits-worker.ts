// Enforces, in a thread, the limits of a process whose main thread may be in an endless loop on untrusted input.
// Invariant: the thread kills the process soon after a limit is exceeded, with a signal that identifies the limit.
import { workerData } from "node:worker_threads";
import type { Watched } from "./answer-requests.ts";
import { timeSignal } from "./confined-process.ts";

const { request, limits } = workerData as Watched;

/** Milliseconds between two checks. Memory can grow by about 20 MB in this time. */
const intervalMs = 20;

let current = 0;
let begun = 0;

setInterval(() => {
  const { user, system } = process.cpuUsage();
  const spent = user + system;
  const running = Atomics.load(request, 0);
  if (running !== current) begun = spent;
  current = running;
  if (process.memoryUsage.rss() > limits.megabytes * 1e6) process.kill(process.pid, "SIGKILL");
  if (running !== 0 && spent - begun > limits.seconds * 1e6) process.kill(process.pid, timeSignal);
}, intervalMs);
