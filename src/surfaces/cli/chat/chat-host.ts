// The host of a chat: its shell, the user's editor, files and input history.
// Invariant: only names in and below folders that the user has typed are read, up to a limit.
import { stat } from "node:fs/promises";
import path from "node:path";
import { systemErrorCode } from "../../../base/thrown-values.ts";
import type { TrustedDefinition } from "../../../runtime/mcp.ts";
import type { CommandCall } from "../command.ts";
import { openBrowser } from "../open-browser.ts";
import { editText } from "./edit-text.ts";
import { settingsOf } from "../parse/setting-flags.ts";
import { notice } from "../print.ts";
import { openInputHistory } from "./input-history-file.ts";
import { expandHome, listFolder, listPaths } from "./list-paths.ts";
import { offeredModels } from "./offered-models.ts";
import { readClipboardImage } from "./read-clipboard-image.ts";
import { runShell } from "./run-shell.ts";

interface HostOptions {
  /** The folder of the input history. */
  readonly dataDir: string;
  /** Whether the user has allowed shell commands. */
  readonly hasShell: boolean;
}

/** The host functions of a chat. */
export async function createChatHost(call: CommandCall, { dataDir, hasShell }: HostOptions) {
  const { world, runtime } = call;
  const history = await openInputHistory(dataDir, (await runtime()).userId);
  return {
    suspend: world.suspend,
    edit: (text: string) => world.lend(() => editText(text, world.editor)),
    ...(hasShell
      ? { runShell: (command: string, signal: AbortSignal) => runShell(world.shell, command, { signal }) }
      : {}),
    async listModels(signal: AbortSignal) {
      const flags = settingsOf(call.line);
      const setup = await world.openSetup(flags, (line) => notice(call, line));
      return offeredModels({ settings: await world.settings(flags), setup }, signal);
    },
    async keepMcpTrust(server: string, toolName: string, trusted: TrustedDefinition | null) {
      const setup = await world.openMcp(settingsOf(call.line), () => undefined);
      return (await setup.keepTrust(server, toolName, trusted)).file;
    },
    openAddress: async (address: string) => world.opener !== null && openBrowser(world.opener, address),
    readClipboardImage: () => readClipboardImage(),
    inputs: history.inputs,
    keepInput: history.keep,
    listFolder,
    listPaths: (folder: string) => listPaths(folder, world.now),
    findFile,
  };
}

/** The absolute path of a file; null for a folder, a device or a missing file. */
async function findFile(file: string): Promise<string | null> {
  const absolute = path.resolve(expandHome(file));
  try {
    return (await stat(absolute)).isFile() ? absolute : null;
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return null;
  }
}
