// Runs a command line: from argv to an exit code.
// Invariant: `runCli` never throws and never ends the process. Before it returns, it closes the runtime of the command.
import type { Runtime } from "../../runtime/runtime.ts";
import { type CommandCall, defaultAgent } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { reportFailure } from "./failure.ts";
import { checkCall, findCommand, type FoundCommand } from "./parse/find-command.ts";
import { commandHelp, generalHelp, topicHelp } from "./format/help-text.ts";
import { commandsAbout } from "./commands.ts";
import { parseCommandLine, type CommandLine } from "./parse/parse-command-line.ts";
import { notice, printResult, printText, textOf } from "./print.ts";
import { settingsOf } from "./parse/flag-values.ts";
import { untilAborted } from "../../base/waiting.ts";
import type { World } from "./world.ts";

/** Runs one command line (without `palimpsest`) and resolves to its exit code. */
export async function runCli(argv: readonly string[], given: World): Promise<number> {
  let world = given;
  try {
    const line = parseCommandLine(argv);
    if (line.switches.has("no-color")) world = { ...given, hasColor: false };
    const help = await helpFor(line, world);
    if (help !== undefined) {
      printText(world, help);
      return exitCodes.done;
    }
    const found = await findCommand(line.words);
    checkCall(found, line);
    return await runCommand(found, { line, world });
  } catch (error) {
    return reportFailure(world, error);
  }
}

/** Returns the text of `--help`, `help` or `--version`; undefined for another command line. */
async function helpFor(line: CommandLine, world: World): Promise<string | undefined> {
  const [first, ...rest] = line.words;
  if (line.switches.has("version")) return `palimpsest ${world.version}`;
  if (first !== "help" && !line.switches.has("help")) return undefined;
  const words = first === "help" ? rest : line.words;
  const [topic, verb] = words;
  if (topic === undefined) return generalHelp(world.command);
  if (verb === undefined && (await commandsAbout(topic)).length > 0) return topicHelp(topic, world.command);
  return commandHelp((await findCommand(words)).command, world.command);
}

async function runCommand(
  { command, rest }: FoundCommand,
  { line, world }: Pick<CommandCall, "line" | "world">,
): Promise<number> {
  let opened: Promise<Runtime> | undefined;
  let onOpening = (): void => undefined;
  let listener: ((line: string) => void) | null = null;
  const call: CommandCall = {
    world,
    line,
    words: rest,
    agent: line.texts.agent ?? defaultAgent,
    runtime: () => (opened ??= world.openRuntime(settingsOf(line), call.log, onOpening)),
    log: (text) => (listener === null || line.switches.has("quiet") ? notice(call, text) : listener(text)),
    divertLog: (next) => void (listener = next),
    async printOf(words) {
      // Notices on stderr would be written over the chat.
      const quiet: CommandLine = { ...line, switches: new Set([...line.switches, "quiet"]) };
      const other = await (await findCommand(words.split(" "))).command.run(
        { ...call, line: quiet, words: [] },
        "",
        "",
      );
      return typeof other === "number" ? "" : textOf(other);
    },
    opening: new Promise((resolve) => (onOpening = resolve)),
  };
  try {
    const [first, second] = rest;
    // `checkCall` has checked the number of arguments, so only an optional argument can be undefined.
    const running = command.run(call, first!, second!);
    const result = await (command.handlesAbort === true ? running : untilAborted(running, world.signal));
    if (typeof result === "number") return result;
    printResult(call, result);
    return result.exitCode ?? exitCodes.done;
  } finally {
    await close(opened);
  }
}

/** Closes the runtime if it was opened. Ignores a failed opening, which the command has already reported. */
async function close(opened: Promise<Runtime> | undefined): Promise<void> {
  const runtime = await opened?.catch(() => undefined);
  await runtime?.close();
}
