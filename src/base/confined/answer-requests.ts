// Runs in a process for untrusted input: answers one request after the other, while a thread enforces the limits.
// Invariant: each request gets one answer, or the process is killed.
import { Worker } from "node:worker_threads";
import type { Answer, WorkLimits } from "./confined-process.ts";

/** The data of the watching thread. `request`: the number of the current request, from 1; 0 between two requests. */
export interface Watched {
  readonly request: Int32Array;
  readonly limits: WorkLimits;
}

/** Answers the requests that the parent process sends. An error that `answer` throws is sent back, so it must be cloneable. */
export function answerRequests<Request, Reply>(answer: (request: Request) => Promise<Reply>): void {
  const request = new Int32Array(new SharedArrayBuffer(4));
  const limits = JSON.parse(process.argv[2]!) as WorkLimits;
  const workerData: Watched = { request, limits };
  new Worker(new URL("./limits-worker.js", import.meta.url), { workerData, execArgv: [] }).unref();
  let count = 0;
  process.on("message", (sent: Request) => {
    count += 1;
    Atomics.store(request, 0, count);
    void answered(answer, sent).then((result) => {
      Atomics.store(request, 0, 0);
      process.send?.(result);
    });
  });
}

async function answered<Request, Reply>(
  answer: (request: Request) => Promise<Reply>,
  request: Request,
): Promise<Answer<Reply>> {
  try {
    return { reply: await answer(request) };
  } catch (error) {
    return { error };
  }
}
