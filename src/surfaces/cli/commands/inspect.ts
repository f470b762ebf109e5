// `palimpsest inspect`: the inspector in a browser, from a server that runs already or from one that it starts.
// Invariant: the key is sent only to a server that has proved that it reads this data folder; it is neither printed nor an
// argument of the browser, which gets a code that is used once.
import { readFile } from "node:fs/promises";
import { ConfigError } from "../../../base/errors.ts";
import type { Host } from "../../../runtime/host.ts";
import type { Command, CommandCall } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { findServer, newCode } from "../inspect/find-server.ts";
import { openBrowser } from "../open-browser.ts";
import { creationFlags, storeFlags, toolFlags } from "../parse/flags.ts";
import { numberFlag } from "../parse/number-flag.ts";
import { settingsOf } from "../parse/setting-flags.ts";
import { notice, printText } from "../print.ts";
import { localKey } from "../serve/local-key.ts";
import { defaultPort, serveHost } from "../serve/serve-host.ts";

export const inspect: Command = {
  words: ["inspect"],
  usage: "",
  summary: "see inside your agents in a browser",
  details:
    "Opens the inspector of the server at --port on this machine. If none runs there, it serves until Ctrl+C. Without a screen,\n" +
    "it prints the address and the file with the key, which the page asks for.",
  flags: ["port", ...creationFlags, ...toolFlags, ...storeFlags],
  takes: { min: 0, max: 0 },
  handlesAbort: true,
  async run(call) {
    const { world, line } = call;
    const port = numberFlag(line, "port", { min: 0, max: 65_535, otherwise: defaultPort });
    const host = await world.openHost(settingsOf(line), (text) => notice(call, text));
    try {
      const key = await keyOf(call, host);
      const found = port === 0 ? ({ type: "none" } as const) : await findServer(port, key);
      if (found.type === "ours") {
        printText(world, await show(call, found.url, key));
        return exitCodes.done;
      }
      if (found.type !== "none") throw taken(port, found.type);
      await serveHost(call, { host, hostname: "127.0.0.1", port, greet: (url) => show(call, url, key) });
    } finally {
      await host.close();
    }
    return world.signal.aborted ? exitCodes.done : exitCodes.failed;
  },
};

interface Key {
  readonly userId: string;
  readonly file: string;
  readonly secret: string;
  readonly dataDir: string;
}

async function keyOf({ world, line }: CommandCall, host: Host): Promise<Key> {
  const { dataDir, userId } = await world.settings(settingsOf(line));
  const { file } = await localKey(host.keys, { dataDir, userId });
  return { userId, file, dataDir, secret: (await readFile(file, "utf8")).trim() };
}

/** Opens the page. Returns what to print. */
async function show({ world }: CommandCall, url: string, { userId, file, dataDir }: Key): Promise<string> {
  const address = `${url}/inspect`;
  const isOpened =
    world.opener !== null && (await openBrowser(world.opener, `${address}#code=${await newCode(dataDir)}`));
  if (isOpened) return `The inspector is open in your browser: ${address}`;
  return `The inspector: ${address}\nIt asks for a key. That of "${userId}" is in ${file}`;
}

function taken(port: number, by: "other-store" | "other-program"): ConfigError {
  const whose = by === "other-store" ? "a server with another store, or of another user" : "another program";
  return new ConfigError(`At port ${port} of this machine is ${whose}. Choose another port, or 0 for any free one.`);
}
