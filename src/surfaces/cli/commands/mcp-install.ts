// `palimpsest mcp install`.
// Invariant: no secret is in the entry, which is often committed and whose arguments other users of the machine can see.
import path from "node:path";
import { replaceFile } from "../../../base/replace-file.ts";
import { reasonOf } from "../../../base/thrown-values.ts";
import { ConfigError } from "../../../base/errors.ts";
import type { Command, CommandCall } from "../command.ts";
import { addServer, clientPrograms, type ClientName } from "../mcp/client-files.ts";
import { storeFlags } from "../parse/flags.ts";
import { settingsOf } from "../parse/setting-flags.ts";
import { notice, printText } from "../print.ts";

export const mcpInstall: Command = {
  words: ["mcp", "install"],
  usage: "PROGRAM",
  summary: "show or write the entry in another program's configuration",
  details:
    "PROGRAM is claude-code (this folder), claude-code-user (every folder), claude-desktop, cursor or vscode. --write adds it\n" +
    "to the file of that program and keeps everything else in it. The server gets the settings of this command. Those of\n" +
    "the environment, and passwords, are written to a file of the data folder that only you can read.",
  flags: ["agent", "trust", "write", ...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const { world, line } = call;
    const name = clientNamed(call.words[0]);
    const program = clientPrograms(world.place)[name];
    const args = [world.place.script, "mcp", ...(await flagsOf(call, name))];
    const entry = { ...program.entry, command: world.place.node, args };
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
  const names: readonly ClientName[] = ["claude-code", "claude-code-user", "claude-desktop", "cursor", "vscode"];
  const found = names.find((name) => name === word);
  if (found === undefined)
    throw new ConfigError(`mcp install: expected one of ${names.join(", ")}, got "${word ?? ""}".`);
  return found;
}

/** The flags that the server gets when the other program starts it. */
async function flagsOf(call: CommandCall, client: ClientName): Promise<readonly string[]> {
  const { agent, trust } = call.line.texts;
  const { dataDir, flags, variables } = await call.world.launchSettings(settingsOf(call.line));
  const file = await environmentFile(call, variables, path.join(dataDir, `mcp-${client}.json`));
  const given = { agent, trust, ...flags, "env-file": file };
  return Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
}

/** Writes the variables where only the user can read them. Returns the file, undefined if there are none. */
async function environmentFile(
  call: CommandCall,
  variables: Readonly<Record<string, string>>,
  file: string,
): Promise<string | undefined> {
  const names = Object.keys(variables);
  if (names.length === 0) return undefined;
  try {
    await replaceFile(file, `${JSON.stringify(variables, null, 2)}\n`);
  } catch (cause) {
    throw new ConfigError(`${file} cannot be written: ${reasonOf(cause)}.`, { cause });
  }
  notice(call, `Wrote ${names.join(", ")} to ${file}, which only you can read.`);
  return file;
}
