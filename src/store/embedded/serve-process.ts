// Runs the embedded server as a detached process: `node serve-process.js '<ServeOptions as JSON>'`.
// Invariant: the process reports whether its start succeeded before it disconnects from its parent, and closes the
// database unless it is killed.
import { truncateSync } from "node:fs";
import path from "node:path";
import { setFlagsFromString } from "node:v8";
import { type RunningServer, serve } from "./serve.ts";
import { failureReport, type ServeOptions, type ServerReport } from "./server-report.ts";

const options = JSON.parse(process.argv[2] ?? "{}") as ServeOptions;
let server: RunningServer | undefined;

process.title = "palimpsest-store";
// Sets the default of Node 22 and 24. With the lower default of Node 20, V8 optimizes WebAssembly so early that a start
// takes 60 ms more.
setFlagsFromString("--wasm-tiering-budget=13000000");
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => leave("cleanly"));

try {
  server = await serve(options, {
    onProgress: (line) => void report({ kind: "progress", line }),
    onIdle: () => leave("cleanly"),
    onBroken: (cause) => {
      note(cause);
      leave("broken");
    },
  });
  await report({ kind: server === undefined ? "held" : "ready" });
  if (server === undefined) process.exit(0);
  // The log contains the output of earlier servers. Only the holder of the lock may truncate it.
  truncateSync(path.join(options.folder, "server.log"));
  if (process.connected) process.disconnect();
} catch (cause) {
  note(cause);
  await report(failureReport(cause));
  process.exit(1);
}

function leave(how: "cleanly" | "broken"): void {
  // If the engine does not shut down in 10 s, the process exits anyway; the next server recovers from the write-ahead log.
  setTimeout(() => process.exit(1), 10_000).unref();
  // Before the server is ready, there is nothing to close: the next process repeats an interrupted first start.
  const closing = server?.close(how) ?? Promise.resolve();
  closing.then(
    () => process.exit(how === "cleanly" ? 0 : 1),
    (cause: unknown) => {
      note(cause);
      process.exit(1);
    },
  );
}

/** Sends a report. Resolves when the parent has received it, or is gone. */
function report(message: ServerReport): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve();
    else process.send(message, undefined, undefined, () => resolve());
  });
}

function note(cause: unknown): void {
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  process.stderr.write(`${new Date().toISOString()} ${text}\n`);
}
