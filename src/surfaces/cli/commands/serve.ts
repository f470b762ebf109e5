// `palimpsest serve`.
import type { Host } from "../../../runtime/host.ts";
import type { Command, CommandCall } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { creationFlags, storeFlags, toolFlags } from "../parse/flags.ts";
import { numberFlag } from "../parse/number-flag.ts";
import { settingsOf } from "../parse/setting-flags.ts";
import { notice } from "../print.ts";
import { localKey } from "../serve/local-key.ts";
import { defaultPort, serveHost } from "../serve/serve-host.ts";

export const serveCommand: Command = {
  words: ["serve"],
  usage: "",
  summary: "serve the agents of all users over HTTP",
  details:
    "Every request needs a key (keys create). On this machine, the first start writes one to the file server-key in the data\n" +
    "folder. Other machines can connect if --host is one of this machine's addresses; then put a proxy with TLS in front.\n" +
    "Ctrl+C refuses new requests, gives running turns five seconds, and leaves the others to the next server.",
  flags: ["host", "port", "cors", "requests-per-minute", "metrics-port", ...creationFlags, ...toolFlags, ...storeFlags],
  takes: { min: 0, max: 0 },
  handlesAbort: true,
  async run(call) {
    const { world, line } = call;
    const host = await world.openHost(settingsOf(line), (text) => notice(call, text));
    try {
      const hostname = line.texts.host ?? "127.0.0.1";
      const { isLoopback } = await import("../../http/serve.ts");
      await serveHost(call, {
        host,
        hostname,
        port: numberFlag(line, "port", { min: 0, max: 65_535, otherwise: defaultPort }),
        greet: (url) => greeting(call, { host, url, isLocal: isLoopback(hostname) }),
      });
    } finally {
      await host.close();
    }
    return world.signal.aborted ? exitCodes.done : exitCodes.failed;
  },
};

interface Greeting {
  readonly host: Host;
  readonly url: string;
  readonly isLocal: boolean;
}

async function greeting({ world, line }: CommandCall, { host, url, isLocal }: Greeting): Promise<string> {
  const serving = `Serving ${url}`;
  if (!isLocal) return `${serving}\nEvery request needs a key: ${world.command} keys create --user NAME --scope admin`;
  const { dataDir, userId } = await world.settings(settingsOf(line));
  const { file, isNew } = await localKey(host.keys, { dataDir, userId });
  return [
    serving,
    isNew ? `Wrote a key of "${userId}" to ${file}. Try:` : `The key of "${userId}" is in ${file}. Try:`,
    `  curl -H "Authorization: Bearer $(cat '${file}')" ${url}/api/agents`,
    `See inside your agents: ${world.command} inspect, or ${url}/inspect`,
  ].join("\n");
}
