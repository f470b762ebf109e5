// Lists the entries of a folder, and of the folders below it, for suggestions after `@`.
// Invariant: the number of entries and the time are limited; links are not followed, so a walk ends.
import { appendAll } from "../../../base/lists.ts";
import { opendir } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { systemErrorCode } from "../../../base/thrown-values.ts";
import type { FolderEntry } from "./load-terminal.ts";

/** Maximum number of entries read from one folder. */
const maxEntries = 2_000;
/** Limits of a walk: entries found, milliseconds, and depth of nested folders. */
const maxPaths = 5_000;
const maxMs = 400;
const maxDepth = 12;

const skippedFolders: ReadonlySet<string> = new Set(["node_modules"]);

/** Returns the entries of a folder, subfolders before files, each sorted by name; none if the path is not a folder. */
export async function listFolder(folder: string): Promise<readonly FolderEntry[]> {
  const entries: FolderEntry[] = [];
  for await (const entry of entriesOf(absoluteOf(folder))) {
    entries.push(entry);
    if (entries.length >= maxEntries) break;
  }
  return entries.sort((a, b) => Number(b.isFolder) - Number(a.isFolder) || (a.name < b.name ? -1 : 1));
}

/**
 * Returns the entries below the subfolders of a folder, the least nested first. Omits hidden files and folders (and so `.git`),
 * and `node_modules`. `now` returns milliseconds of a clock.
 */
export async function listPaths(folder: string, now: () => number): Promise<readonly FolderEntry[]> {
  const walk: Walk = { root: absoluteOf(folder), now, endsAt: now() + maxMs, found: [] };
  let level: readonly string[] = [""];
  for (let depth = 0; depth < maxDepth && level.length > 0; depth += 1) {
    const next: string[] = [];
    for (const each of level) appendAll(next, await subfoldersOf(each, walk));
    level = next;
  }
  return walk.found;
}

interface Walk {
  readonly root: string;
  readonly now: () => number;
  readonly endsAt: number;
  readonly found: FolderEntry[];
}

/** Adds the entries of a folder to `found`, unless the folder is the root. Returns its subfolders, up to the walk's limits. */
async function subfoldersOf(folder: string, { root, now, endsAt, found }: Walk): Promise<readonly string[]> {
  const folders: string[] = [];
  if (found.length >= maxPaths || now() > endsAt) return folders;
  let count = 0;
  for await (const { name, isFolder } of entriesOf(path.join(root, folder))) {
    count += 1;
    if (count > maxEntries || found.length >= maxPaths || now() > endsAt) break;
    if (name.startsWith(".") || skippedFolders.has(name)) continue;
    const below = folder === "" ? name : `${folder}/${name}`;
    if (folder !== "") found.push({ name: below, isFolder });
    if (isFolder) folders.push(below);
  }
  return folders;
}

/** Returns the path with the home folder instead of a leading `~`. */
export function expandHome(file: string): string {
  return file === "~" || file.startsWith("~/") ? path.join(homedir(), file.slice(1)) : file;
}

function absoluteOf(folder: string): string {
  return path.resolve(expandHome(folder === "" ? "." : folder));
}

/** Yields the entries of a folder; none if it cannot be read. */
async function* entriesOf(folder: string): AsyncGenerator<FolderEntry> {
  try {
    for await (const entry of await opendir(folder, { bufferSize: 256 }))
      yield { name: entry.name, isFolder: entry.isDirectory() };
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
  }
}
