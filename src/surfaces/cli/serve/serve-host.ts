// Serves a host until the program is interrupted.
// Invariant: what the server has started is closed when this resolves or throws; the host is closed by the caller.
import type { Host } from "../../../runtime/host.ts";
import type { CommandCall } from "../command.ts";
import { optionalNumberFlag } from "../parse/number-flag.ts";
import { originsOf } from "../parse/origin-flag.ts";
import { settingsOf } from "../parse/setting-flags.ts";
import { notice, printText } from "../print.ts";
import { serveMcp } from "./serve-mcp.ts";

export const defaultPort = 8283;

export interface HostServing {
  readonly host: Host;
  readonly hostname: string;
  readonly port: number;
  /** Returns what to print once the server listens. */
  readonly greet: (url: string) => Promise<string>;
}

/** Throws ConfigError if an address cannot be used. */
export async function serveHost(call: CommandCall, { host, hostname, port, greet }: HostServing): Promise<void> {
  const { world, line } = call;
  // Loaded here: no other command needs the server.
  const { serve } = await import("../../http/serve.ts");
  const requests = optionalNumberFlag(line, "requests-per-minute", { min: 1, max: 1_000_000 });
  const { share } = await world.settings(settingsOf(line));
  const metricsPort = optionalNumberFlag(line, "metrics-port", { min: 0, max: 65_535 });
  const { dataDir } = await world.settings(settingsOf(line));
  const served = await serve({
    host,
    dataDir,
    verify: (secret) => host.keys.verify(secret),
    version: world.version,
    hostname,
    port,
    origins: originsOf(line),
    share: { ...share, ...(requests === undefined ? {} : { requestsPerMinute: requests }) },
    ...(metricsPort === undefined ? {} : { metricsPort }),
    mcp: (request, given) => serveMcp(world, request, given),
    onRequest: (request) => {
      if (!line.switches.has("quiet")) world.stderr.write(`${JSON.stringify(request)}\n`);
    },
    onFailure: (requestId, error) => {
      const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      world.stderr.write(`${JSON.stringify({ requestId, error: world.hide(reason) })}\n`);
    },
  });
  try {
    if (served.metricsUrl !== null) notice(call, `Counters for Prometheus: ${served.metricsUrl}`);
    printText(world, await greet(served.url));
    await aborted(world.signal);
    notice(call, "Shutting down: running turns have five seconds. Ctrl+C again ends the process at once.");
  } finally {
    await served.close({ graceMs: 5000 });
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
