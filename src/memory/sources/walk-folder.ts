// Walks a folder and its subfolders, without recursion.
// Invariant: files are sorted by the code units of their names, folder by folder; links are not followed, so a walk
// terminates.
import { appendAll } from "../../base/append-all.ts";
import { SourceFileError } from "../../base/errors.ts";
import type { FileSystem, FolderEntry } from "./file-system.ts";

export interface Walked {
  readonly path: string;
  /** `file`: to load. `skipped` and `failed` have a reason. */
  readonly is: "file" | "skipped" | "failed";
  readonly reason: string;
}

export interface WalkOptions {
  readonly fileSystem: FileSystem;
  readonly signal?: AbortSignal;
}

/**
 * `root` is absolute, with `/` as separator. A folder that cannot be opened is reported as failed, and the walk
 * continues.
 */
export async function* walkFolder(root: string, { fileSystem, signal }: WalkOptions): AsyncGenerator<Walked> {
  const todo = [root];
  for (let folder = todo.pop(); folder !== undefined; folder = todo.pop()) {
    signal?.throwIfAborted();
    const entries = await entriesOf(folder, fileSystem);
    if (!Array.isArray(entries)) {
      yield { path: folder, is: "failed", reason: entries };
      continue;
    }
    const folders: string[] = [];
    for (const entry of entries) {
      const path = withSlash(folder) + entry.name;
      const why = skipReason(entry);
      if (why !== undefined) yield { path, is: "skipped", reason: why };
      else if (entry.is === "folder") folders.push(path);
      else yield { path, is: "file", reason: "" };
    }
    appendAll(todo, folders.toReversed());
  }
}

/** Returns the entries, or why they cannot be read. */
async function entriesOf(folder: string, fileSystem: FileSystem): Promise<FolderEntry[] | string> {
  try {
    return [...(await fileSystem.entries(folder))];
  } catch (error) {
    if (error instanceof SourceFileError) return error.message;
    throw error;
  }
}

function skipReason({ name, is }: FolderEntry): string | undefined {
  if (is === "link") return "it is a link";
  if (is === "other") return "it is not a regular file";
  if (name.startsWith(".")) return "it is hidden";
  return is === "folder" && name === "node_modules" ? "it contains installed packages" : undefined;
}

export function withSlash(folder: string): string {
  return folder.endsWith("/") ? folder : `${folder}/`;
}
