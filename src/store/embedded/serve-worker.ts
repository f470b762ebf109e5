// Runs the embedded server in a worker thread of a process that uses the library.
// Invariant: the thread ends when it receives "close" or the backend is broken, and never ends the process. If closing
// fails, the thread reports the failure, and its starter terminates it.
import { parentPort, workerData } from "node:worker_threads";
import { serve } from "./serve.ts";
import { failureReport, type ServeOptions, type ServerReport } from "./server-report.ts";

const options = workerData as ServeOptions;

try {
  const server = await serve(options, {
    onProgress: (line) => report({ kind: "progress", line }),
    onIdle: () => undefined,
    onBroken: () => void server?.close("broken").finally(() => parentPort?.close()),
  });
  if (server !== undefined) {
    parentPort?.once("message", () => {
      server.close("cleanly").then(
        () => parentPort?.close(),
        (cause: unknown) => report(failureReport(cause)),
      );
    });
  }
  report({ kind: server === undefined ? "held" : "ready" });
} catch (cause) {
  report(failureReport(cause));
}

function report(message: ServerReport): void {
  parentPort?.postMessage(message);
}
