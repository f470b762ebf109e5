// The host of a chat: its shell, the user's editor, files and input history.
// Invariant: only names in folders that the user has typed are read, up to a limit per folder.
import { opendir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { systemErrorCode } from "../../base/system-error.ts";
import type { CommandCall } from "../command.ts";
import { editText } from "./edit-text.ts";
import { openInputHistory } from "./input-history-file.ts";
import { runShell } from "./run-shell.ts";

/** Maximum number of entries read from a folder. */
const maxEntries = 2_000;

interface FolderEntry {
  readonly name: string;
  readonly isFolder: boolean;
}

interface HostOptions {
  /** The folder of the input history. */
  readonly dataDir: string;
  /** Whether the user has allowed shell commands. */
  readonly hasShell: boolean;
}

/** The host functions of a chat. */
export async function createChatHost({ world, runtime }: CommandCall, { dataDir, hasShell }: HostOptions) {
  const history = await openInputHistory(dataDir, (await runtime()).userId);
  return {
    suspend: world.suspend,
    edit: (text: string) => world.lend(() => editText(text, world.editor)),
    ...(hasShell
      ? { runShell: (command: string, signal: AbortSignal) => runShell(world.shell, command, { signal }) }
      : {}),
    inputs: history.inputs,
    keepInput: history.keep,
    listFolder,
    findFile,
  };
}

/** Folders first, each by name. */
async function listFolder(folder: string): Promise<readonly FolderEntry[]> {
  const entries: FolderEntry[] = [];
  try {
    for await (const entry of await opendir(expandHome(folder === "" ? "." : folder))) {
      entries.push({ name: entry.name, isFolder: entry.isDirectory() });
      if (entries.length >= maxEntries) break;
    }
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
  }
  return entries.sort((a, b) => Number(b.isFolder) - Number(a.isFolder) || (a.name < b.name ? -1 : 1));
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

function expandHome(file: string): string {
  return file === "~" || file.startsWith("~/") ? path.join(homedir(), file.slice(1)) : file;
}
