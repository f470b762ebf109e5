// `palimpsest mcp install`.
import { ConfigError } from "../../errors.ts";
import type { Command, CommandCall } from "../command.ts";
import { addServer, clientPrograms, type ClientName } from "../mcp/client-files.ts";
import { storeFlags } from "../parse/flags.ts";
import { settingsOf } from "../parse/setting-flags.ts";
import { printText } from "../print.ts";

export const mcpInstall: Command = {
  words: ["mcp", "install"],
  usage: "PROGRAM",
  summary: "show or write the entry in another program's configuration",
  details:
    "PROGRAM is claude-code, claude-desktop, cursor or vscode. --write adds it to the file of that program and keeps everything else in it. The other flags become those of the server.",
  flags: ["agent", "trust", "write", ...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const { world, line } = call;
    const program = clientPrograms(world.place)[clientNamed(call.words[0])];
    const entry = { ...program.entry, command: world.place.node, args: [world.place.script, "mcp", ...flagsOf(call)] };
    if (line.switches.has("write")) {
      const { isNew } = await addServer(program, entry);
      printText(world, `${isNew ? "Added" : "Replaced"} "palimpsest" in ${program.file}. ${program.next}`);
      return 0;
    }
    const text = JSON.stringify({ [program.key]: { palimpsest: entry } }, null, 2);
    printText(world, `Add this to ${program.file}, or run the command again with --write:\n${text}\n${program.next}`);
    return 0;
  },
};

function clientNamed(word: string | undefined): ClientName {
  const names: readonly ClientName[] = ["claude-code", "claude-desktop", "cursor", "vscode"];
  const found = names.find((name) => name === word);
  if (found === undefined)
    throw new ConfigError(`mcp install: expected one of ${names.join(", ")}, got "${word ?? ""}".`);
  return found;
}

/** The flags of this call that the server gets when the other program starts it. */
function flagsOf({ line }: CommandCall): readonly string[] {
  const { agent, trust, config } = line.texts;
  const given = { agent, trust, config, ...settingsOf(line) };
  return Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
}
