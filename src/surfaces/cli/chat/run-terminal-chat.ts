// Runs the terminal chat, and gives it access to the shell, the user's editor, files and the input history.
// Invariant: a folder is listed only if the user has typed its path or the path of a folder above it. The number of listed
// entries is limited.
import { stat } from "node:fs/promises";
import path from "node:path";
import { nullOnSystemError } from "../../../base/thrown-values.ts";
import type { TrustedDefinition } from "../../../runtime/mcp.ts";
import { readClipboardImage } from "./clipboard.ts";
import { editText } from "./edit-text.ts";
import { forgetWithInputs, type InputHistoryFile, openInputHistory } from "./input-history-file.ts";
import { expandHome, listFolder, listPaths } from "./list-paths.ts";
import type { loadTerminal } from "./load-terminal.ts";
import { listOwnCommands } from "./own-commands.ts";
import { offeredModels } from "./offered-models.ts";
import { runShell } from "./run-shell.ts";
import { createStatusLine } from "./status-line.ts";
import { shellWord } from "../../surface-words.ts";
import { type CommandCall, defaultAgent } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { openBrowser } from "../open-browser.ts";
import { demoNotice, filesOf } from "../open-agent.ts";
import { fileLabel } from "../../../base/message/file-part.ts";
import { createTextFile } from "../new-file.ts";
import { notice } from "../print.ts";
import { readTextFile } from "../parse/read-text.ts";
import type { Agent } from "../runtime-records.ts";
import { settingsOf } from "../parse/flag-values.ts";

interface TerminalChat {
  readonly terminal: ReturnType<typeof loadTerminal>;
  /** The notice that `--model` has changed the agent's model, for the first screen; undefined if it has not. */
  readonly change: string | undefined;
}

/** Runs the chat until the user leaves, prints the command that resumes the conversation, and returns the exit code. */
export async function runTerminalChat(
  call: CommandCall,
  agent: Agent,
  { terminal, change }: TerminalChat,
): Promise<number> {
  const {
    model: configured,
    theme,
    bell,
    terminalTitle,
    shellCommands,
    notification,
    statusLine,
    editorKeys,
    dataDir,
  } = await call.world.settings(settingsOf(call.line));
  const { runChat } = await terminal;
  const first = change ?? demoNotice(agent, call.world.command, configured);
  const runtime = await call.runtime();
  const files = [];
  // The files are checked here, so that a wrong path is reported before the chat takes over the screen.
  for (const input of filesOf(call)) files.push({ input, label: fileLabel(await runtime.files.describe(input)) });
  const history = await openInputHistory(dataDir, runtime.userId);
  const { resumeId } = await runChat({
    runtime: { ...runtime, forget: forgetWithInputs(runtime, dataDir) },
    files,
    agent,
    host: createChatHost(call, { dataDir, history, hasShell: shellCommands === "on", statusLine }),
    version: call.world.version,
    command: call.world.command,
    color: call.world.hasColor,
    ...(call.world.hasClipboard ? { writeClipboard: (sequence) => void call.world.stdout.write(sequence) } : {}),
    textFiles: {
      read: (file) => readTextFile(expandHome(file), "/import"),
      create: (file, text) => createTextFile(expandHome(file), text),
    },
    theme,
    hasBell: bell === "on",
    hasTitle: terminalTitle === "on",
    notification,
    editorKeys,
    // The console of Linux cannot show links: it would print their addresses as text.
    hasLinks: call.world.terminalName !== "linux",
    colorFgBg: call.world.colorFgBg,
    // In the chat Ctrl+C is a key, so only another process can abort this signal.
    signal: call.world.signal,
    ...(first === undefined ? {} : { notice: first }),
    ...(call.line.bare.has("resume") ? { firstInput: "/resume" } : {}),
  }).finally(() => call.divertLog(null));
  await history.kept();
  const name = agent.record.name === defaultAgent ? "" : ` -a ${shellWord(agent.record.name)}`;
  notice(call, `continue with: ${call.world.command}${name} -r ${resumeId}`);
  return exitCodes.done;
}

interface HostOptions {
  readonly dataDir: string;
  readonly history: InputHistoryFile;
  /** Whether the user has allowed shell commands. */
  readonly hasShell: boolean;
  readonly statusLine: string | null;
}

function createChatHost(call: CommandCall, { dataDir, history, hasShell, statusLine }: HostOptions) {
  const { world } = call;
  return {
    watchLog: call.divertLog,
    suspend: world.suspend,
    edit: (text: string) => world.lend(() => editText(text, world.editor)),
    ...(hasShell
      ? { runShell: (command: string, signal: AbortSignal) => runShell(world.shell, command, { signal }) }
      : {}),
    ...(statusLine === null ? {} : { statusLine: createStatusLine(statusLine, world.shell) }),
    listCommands: () =>
      listOwnCommands([
        path.join(dataDir, "commands"),
        path.join(world.place.workingFolder, ".palimpsest", "commands"),
      ]),
    async listModels(signal: AbortSignal) {
      const flags = settingsOf(call.line);
      const setup = await world.openSetup(flags, call.log);
      return offeredModels({ settings: await world.settings(flags), setup }, signal);
    },
    async keepMcpTrust(server: string, toolName: string, trusted: TrustedDefinition | null) {
      const setup = await world.openMcp(settingsOf(call.line), () => undefined);
      return (await setup.keepTrust(server, toolName, trusted)).file;
    },
    openAddress: async (address: string) => world.opener !== null && openBrowser(world.opener, address),
    readClipboardImage: () => readClipboardImage(),
    printOf: call.printOf,
    inputs: history.inputs,
    keepInput: history.keep,
    listFolder,
    listPaths: (folder: string) => listPaths(folder, world.now),
    findFile,
  };
}

/** Returns the absolute path of a file; null for a folder, a device or a missing file. */
async function findFile(file: string): Promise<string | null> {
  const absolute = path.resolve(expandHome(file));
  const found = await stat(absolute).catch(nullOnSystemError);
  return found?.isFile() === true ? absolute : null;
}
