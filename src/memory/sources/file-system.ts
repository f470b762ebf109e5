// Defines the file system operations for finding and reading files, replaceable in tests.
// Invariant: a failure is a SourceFileError whose text reveals no content of any file.
import { lstat, readdir, readFile, realpath, stat } from "node:fs/promises";
import { reasonOf, systemErrorCode } from "../../base/thrown-values.ts";
import { SourceFileError } from "../../base/errors.ts";

export interface FolderEntry {
  readonly name: string;
  readonly is: "file" | "folder" | "link" | "other";
}

export interface FileSystem {
  /** Returns what a path refers to, following links; null if nothing exists there. */
  look(path: string): Promise<{ readonly is: "file" | "folder" | "other"; readonly bytes: number } | null>;
  /** Returns the path with its links resolved. */
  real(path: string): Promise<string>;
  /** Returns the entries of a folder, sorted by the code units of their names. */
  entries(folder: string): Promise<readonly FolderEntry[]>;
  read(path: string, signal?: AbortSignal): Promise<Uint8Array>;
  /** Returns whether the file system confirms that nothing exists at the path; false if the path cannot be checked. */
  isGone(path: string): Promise<boolean>;
}

export const nodeFileSystem: FileSystem = {
  async look(path) {
    try {
      const found = await stat(path);
      return { is: kindOf(found), bytes: found.size };
    } catch (error) {
      if (isAbsent(error)) return null;
      throw failure(error);
    }
  },
  real: (path) => realpath(path).catch(refuse),
  async entries(folder) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(refuse);
    return entries
      .map((entry) => ({ name: entry.name, is: entry.isSymbolicLink() ? ("link" as const) : kindOf(entry) }))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  },
  async read(path, signal) {
    try {
      return await readFile(path, { signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw failure(error);
    }
  },
  isGone: (path) =>
    lstat(path).then(
      () => false,
      (error: unknown) => isAbsent(error),
    ),
};

function kindOf(found: { isFile(): boolean; isDirectory(): boolean }): "file" | "folder" | "other" {
  if (found.isFile()) return "file";
  return found.isDirectory() ? "folder" : "other";
}

function isAbsent(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR"].includes(systemErrorCode(error) ?? "");
}

function failure(cause: unknown): SourceFileError {
  return new SourceFileError(reasonOf(cause), { cause });
}

function refuse(cause: unknown): never {
  throw failure(cause);
}
