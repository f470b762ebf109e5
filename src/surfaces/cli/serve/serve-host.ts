// Serves a host until the process is interrupted, and serves memory to MCP clients.
// Invariant: the server is closed when `serveHost` resolves or throws; the caller closes the host. A key for one agent gives
// access to that agent only; texts that an MCP client writes are external, the same as with `palimpsest mcp`.
import { ConfigError } from "../../../base/errors.ts";
import type { Host } from "../../../runtime/host.ts";
import type { UserRuntime } from "../../../runtime/runtime.ts";
import { type CommandCall, defaultAgent } from "../command.ts";
import { optionalNumberFlag, settingsOf } from "../parse/flag-values.ts";
import { given } from "../../../base/given.ts";
import type { CommandLine } from "../parse/parse-command-line.ts";
import { oneLine, printText, toJsonLine } from "../print.ts";
import type { World } from "../world.ts";

export const defaultPort = 8283;

export interface HostServing {
  readonly host: Host;
  readonly hostname: string;
  readonly port: number;
  readonly log: ServeLog;
  /** Whether each request is logged. */
  readonly logsRequests: boolean;
  /** Returns the text to print when the server listens at the URL. */
  readonly greet: (url: string) => Promise<string>;
}

/** Serves the host until the process is interrupted. Throws ConfigError if an address cannot be used. */
export async function serveHost(
  call: CommandCall,
  { host, hostname, port, log, logsRequests, greet }: HostServing,
): Promise<void> {
  const { world, line } = call;
  // The server's code is loaded only here, because no other command needs it.
  const { serve } = await import("../../http/serve.ts");
  const requestsPerMinute = optionalNumberFlag(line, "requests-per-minute", { min: 1, max: 1_000_000 });
  const metricsPort = optionalNumberFlag(line, "metrics-port", { min: 0, max: 65_535 });
  const { share, dataDir } = await world.settings(settingsOf(line));
  const served = await serve({
    host,
    dataDir,
    verify: (secret) => host.keys.verify(secret),
    version: world.version,
    hostname,
    port,
    origins: originsOf(line),
    share: { ...share, ...given({ requestsPerMinute }) },
    ...given({ metricsPort }),
    mcp: (request, given) => serveMcp(world, request, given),
    onRequest: (request) => {
      const { level, method, route, status } = request;
      if (logsRequests) log(level, `${method} ${route} ${status}`, request);
    },
    onFailure: (requestId, error) => {
      log("error", error instanceof Error ? `${error.name}: ${error.message}` : String(error), { requestId });
    },
  });
  try {
    if (served.metricsUrl !== null) printText(world, `Counters for Prometheus: ${served.metricsUrl}`);
    printText(world, await greet(served.url));
    await aborted(world.signal);
    log("info", "Shutting down: running turns have five seconds. Ctrl+C again ends the process at once.");
  } finally {
    await served.close({ graceMs: 5000 });
  }
  log("info", "Stopped cleanly: every turn has ended, or the next server continues it.");
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/**
 * Returns the values of `--cors` as a browser sends them. Throws ConfigError for anything else, such as an address with a
 * path, because it would match no page.
 */
function originsOf(line: CommandLine): readonly string[] {
  return (line.lists.cors ?? []).map((text) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    // `url.origin` has the form that a browser sends: without a standard port, and with the host in lower case.
    if (url !== null && url.origin !== "null" && url.href === `${url.origin}/`) return url.origin;
    throw new ConfigError(
      `--cors: expected the origin of a page, such as https://app.example.com or http://localhost:5173, got "${text}".`,
    );
  });
}

interface ServedMemory {
  readonly runtime: UserRuntime;
  readonly key: { readonly scope: "read" | "chat" | "admin"; readonly agentId: string | null };
  readonly onFailure: (error: unknown) => void;
}

/** Maximum bytes of the body of a request. */
const maxBytes = 10_000_000;

export async function serveMcp(
  world: World,
  request: Request,
  { runtime, key, onFailure }: ServedMemory,
): Promise<Response> {
  // This code is loaded with the first request of an MCP client, because most servers have no such client.
  const [{ serveMemoryRequest }, { clientText }] = await Promise.all([
    import("../../mcp/serve-memory.ts"),
    import("../../http/fault.ts"),
  ]);
  const isOnlyAgent = key.agentId !== null;
  const named = new URL(request.url).searchParams.get("agent") ?? defaultAgent;
  return serveMemoryRequest(request, {
    runtime: Promise.resolve(runtime),
    agent: key.agentId === null ? named : (await runtime.agents.find(key.agentId)).name,
    isOnlyAgent,
    scope: key.scope,
    trust: "external",
    client: "an MCP client",
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    version: world.version,
    words: clientText,
    onFailure,
    maxBytes,
  });
}

/** Writes one line of the log. `facts`: further fields, such as the id of a request. */
export type ServeLog = (level: "info" | "warn" | "error", message: string, facts?: object) => void;

/**
 * Returns the log of the server: one line of JSON on stderr for each request, failure and event, with `time`, `level` and
 * `message`. With `--quiet`, only errors are written.
 */
export function jsonLog({ world, line }: CommandCall): ServeLog {
  return (level, message, facts = {}) => {
    if (level !== "error" && line.switches.has("quiet")) return;
    const head = { time: new Date().toISOString(), level, message: oneLine(world, message) };
    world.stderr.write(toJsonLine({ ...head, ...facts }));
  };
}
