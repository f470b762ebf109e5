// `palimpsest mcp` and `mcp install`: serve memory to other programs, and add this server to their configuration files.
// Invariant: the entry in a file contains no secret: such files are often committed, and all users of a machine can see the
// arguments of a process.
import path from "node:path";
import { ConfigError } from "../../../base/errors.ts";
import type { Trust } from "../../../base/message/message.ts";
import { replaceFile } from "../../../base/replace-file.ts";
import { reasonOf } from "../../../base/thrown-values.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { surfaceText } from "../../surface-words.ts";
import { type CommandCall, commandTable } from "../command.ts";
import { openAgent } from "../open-agent.ts";
import { choiceFlag, settingsOf } from "../parse/flag-values.ts";
import { notice } from "../print.ts";
import { addServer, clientPrograms } from "./mcp-client-files.ts";

const classes: readonly Trust[] = ["user", "model", "external"];

export const commands = commandTable({
  mcp: {
    summary: "serve memory to other programs over MCP, by stdin and stdout",
    details:
      "The other program starts this one: `palimpsest mcp install` shows how to configure that. Any number of programs can\n" +
      "use the same memory at once, and so can the chat. A program's texts are stored with its name and the trust of --trust.",
    flags: ["agent", "trust", "env-file", "persona", "human", "memory", "core-memory-limit", "model", "base-url"],
    handlesAbort: true,
    run: serveMcp,
  },
  "mcp install": {
    usage: "PROGRAM",
    summary: "show or write the entry in another program's configuration",
    details:
      "PROGRAM is claude-code (this folder), claude-code-user (every folder), claude-desktop, cursor or vscode. --write adds\n" +
      "the entry to that program's file and keeps the rest of the file. The server gets the settings of this command. Settings\n" +
      "from the environment, and passwords, are written to a file in the data folder that only you can read.",
    flags: ["agent", "trust", "write"],
    async run(call, word) {
      const { world, line } = call;
      const programs = clientPrograms(world.place);
      const program = Object.hasOwn(programs, word) ? programs[word] : undefined;
      if (program === undefined) {
        const names = Object.keys(programs).join(", ");
        throw new ConfigError(`mcp install: expected one of ${names}, got "${word}".`);
      }
      const args = [world.place.script, "mcp", ...(await flagsOf(call, word))];
      const entry = { ...program.entry, command: world.place.node, args };
      if (line.switches.has("write")) {
        const { isNew } = await addServer(program, entry);
        return { text: `${isNew ? "Added" : "Replaced"} "palimpsest" in ${program.file}. ${program.next}` };
      }
      const text = JSON.stringify({ [program.key]: { palimpsest: entry } }, null, 2);
      return { text: `Add this to ${program.file}, or run the command again with --write:\n${text}\n${program.next}` };
    },
  },
});

async function serveMcp(call: CommandCall): Promise<number> {
  const { world, line, agent } = call;
  const trust = choiceFlag(line, "trust", classes) ?? "external";
  const runtime = openMemory(call);
  // The server's code is loaded while the store opens, and only here, because no other command needs it.
  await Promise.race([call.opening, runtime]);
  const { serveMemory } = await import("../../mcp/serve-memory.ts");
  const failure = new AbortController();
  // If the store cannot be opened, waiting calls are first answered with the reason; then the server is stopped.
  runtime.catch(() => setImmediate(() => failure.abort()));
  await serveMemory({
    runtime,
    agent,
    trust,
    client: "an MCP client",
    timeZone: line.texts["time-zone"] ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    version: world.version,
    words: ({ message }) => surfaceText(message, "command-line", world.command),
    stdin: world.stdin,
    stdout: world.stdout,
    signal: AbortSignal.any([world.signal, failure.signal]),
    onError: (error) => world.stderr.write(`palimpsest: ${world.hide(error.message)}\n`),
  });
  // If the store could not be opened, this throws the error that has ended the server.
  await runtime;
  return 0;
}

/** Returns the runtime, and creates the agent if it does not exist, as the chat does. */
async function openMemory(call: CommandCall): Promise<Runtime> {
  const runtime = await call.runtime();
  const known = await runtime.agents.list();
  if (!known.some(({ name }) => name === call.agent)) await openAgent(call, { otherwise: "last" });
  return runtime;
}

/** Returns the flags with which the program `client` starts the server. */
async function flagsOf(call: CommandCall, client: string): Promise<readonly string[]> {
  const { agent, trust } = call.line.texts;
  const { dataDir, flags, variables } = await call.world.launchSettings(settingsOf(call.line));
  const file = await environmentFile(call, variables, path.join(dataDir, `mcp-${client}.json`));
  const given = { agent, trust, ...flags, "env-file": file };
  return Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
}

/** Writes environment variables to a file that only the user can read. Returns its path; undefined without variables. */
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
