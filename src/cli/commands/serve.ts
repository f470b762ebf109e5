// `palimpsest serve`.
import type { Command, CommandCall } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { creationFlags, storeFlags, toolFlags } from "../parse/flags.ts";
import { numberFlag, optionalNumberFlag } from "../parse/number-flag.ts";
import { settingsOf } from "../parse/setting-flags.ts";
import { notice, printText } from "../print.ts";
import { localKey } from "../serve/local-key.ts";
import { serveMcp } from "../serve/serve-mcp.ts";

const defaultPort = 8283;

export const serveCommand: Command = {
  words: ["serve"],
  usage: "",
  summary: "serve the agents of all users over HTTP",
  details:
    "Every request needs a key (keys create). On this machine, the first start writes one to the file server-key in the data\n" +
    "folder. Other machines can connect if --host is one of this machine's addresses; then put a proxy with TLS in front.\n" +
    "Ctrl+C accepts no more requests, gives running turns five seconds, and keeps what the others have streamed.",
  flags: ["host", "port", "cors", "requests-per-minute", "metrics-port", ...creationFlags, ...toolFlags, ...storeFlags],
  takes: { min: 0, max: 0 },
  handlesAbort: true,
  async run(call) {
    const { world, line } = call;
    const host = await world.openHost(settingsOf(line), (text) => notice(call, text));
    try {
      await serveHost(call, host);
    } finally {
      await host.close();
    }
    return world.signal.aborted ? exitCodes.done : exitCodes.failed;
  },
};

type OpenHost = Awaited<ReturnType<CommandCall["world"]["openHost"]>>;

async function serveHost(call: CommandCall, host: OpenHost): Promise<void> {
  const { world, line } = call;
  // Loaded here: no other command needs the server.
  const { serve, isLoopback } = await import("../../server/serve.ts");
  const hostname = line.texts.host ?? "127.0.0.1";
  const requests = optionalNumberFlag(line, "requests-per-minute", { min: 1, max: 1_000_000 });
  const metricsPort = optionalNumberFlag(line, "metrics-port", { min: 0, max: 65_535 });
  const served = await serve({
    host,
    verify: (secret) => host.keys.verify(secret),
    version: world.version,
    hostname,
    port: numberFlag(line, "port", { min: 0, max: 65_535, otherwise: defaultPort }),
    origins: line.lists.cors ?? [],
    ...(requests === undefined ? {} : { maxRequestsPerMinute: requests }),
    ...(metricsPort === undefined ? {} : { metricsPort }),
    mcp: (request, served) => serveMcp(world, request, served),
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
    printText(world, await greeting(call, { host, url: served.url, isLocal: isLoopback(hostname) }));
    await aborted(world.signal);
    notice(call, "Shutting down: running turns have five seconds. Ctrl+C again ends the process at once.");
  } finally {
    await served.close({ graceMs: 5000 });
  }
}

interface Greeting {
  readonly host: OpenHost;
  readonly url: string;
  readonly isLocal: boolean;
}

async function greeting({ world, line }: CommandCall, { host, url, isLocal }: Greeting): Promise<string> {
  const serving = `Serving ${url}`;
  if (!isLocal) return `${serving}\nEvery request needs a key: ${world.command} keys create --user NAME`;
  const { dataDir, userId } = await world.settings(settingsOf(line));
  const { file, isNew } = await localKey(host.keys, { dataDir, userId });
  return [
    serving,
    isNew ? `Wrote a key of "${userId}" to ${file}. Try:` : `The key of "${userId}" is in ${file}. Try:`,
    `  curl -H "Authorization: Bearer $(cat '${file}')" ${url}/api/agents`,
  ].join("\n");
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
