// Lists the entries of a folder, and of the folders below it, for suggestions after `@`.
// Invariant: the number of entries and the time are limited; links are not followed, so a walk ends.
import { opendir } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { systemErrorCode } from "../../base/system-error.ts";

export interface FolderEntry {
  /** Of an entry below a subfolder: its path, with `/` as separator. */
  readonly name: string;
  readonly isFolder: boolean;
}

/** Maximum number of entries read from one folder. */
const maxEntries = 2_000;
/** Limits of a walk: entries found, milliseconds, and folders below each other. */
const maxPaths = 5_000;
const maxMs = 400;
const maxDepth = 12;

const skippedFolders: ReadonlySet<string> = new Set(["node_modules"]);

/** Folders first, each by name. Empty if the path is not a folder. */
export async function listFolder(folder: string): Promise<readonly FolderEntry[]> {
  const entries: FolderEntry[] = [];
  for await (const entry of entriesOf(absoluteOf(folder))) {
    entries.push(entry);
    if (entries.length >= maxEntries) break;
  }
  return entries.sort((a, b) => Number(b.isFolder) - Number(a.isFolder) || (a.name < b.name ? -1 : 1));
}

/**
 * The entries below the subfolders of a folder, the nearest first. Omits hidden files and folders (and so `.git`), and
 * `node_modules`. `now`: milliseconds of a clock.
 */
export async function listPaths(folder: string, now: () => number): Promise<readonly FolderEntry[]> {
  const root = absoluteOf(folder);
  const began = now();
  const found: FolderEntry[] = [];
  let level: readonly string[] = [""];
  for (let depth = 0; depth < maxDepth && level.length > 0; depth += 1) {
    const next: string[] = [];
    for (const each of level) {
      let count = 0;
      for await (const { name, isFolder } of entriesOf(path.join(root, each))) {
        count += 1;
        if (found.length >= maxPaths || now() - began > maxMs) return found;
        if (count > maxEntries) break;
        if (name.startsWith(".") || skippedFolders.has(name)) continue;
        const below = each === "" ? name : `${each}/${name}`;
        if (each !== "") found.push({ name: below, isFolder });
        if (isFolder) next.push(below);
      }
    }
    level = next;
  }
  return found;
}

/** Replaces a leading `~` by the home folder. */
export function expandHome(file: string): string {
  return file === "~" || file.startsWith("~/") ? path.join(homedir(), file.slice(1)) : file;
}

function absoluteOf(folder: string): string {
  return path.resolve(expandHome(folder === "" ? "." : folder));
}

/** Nothing for a folder that cannot be read. */
async function* entriesOf(folder: string): AsyncGenerator<FolderEntry> {
  try {
    for await (const entry of await opendir(folder, { bufferSize: 256 }))
      yield { name: entry.name, isFolder: entry.isDirectory() };
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
  }
}
