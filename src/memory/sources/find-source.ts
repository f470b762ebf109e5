// Finds files, folders and patterns for a source, and loads what was found.
// Invariant: nothing is written before `load` is called.
import type { FindSource } from "../source-load.ts";
import type { ReadFile } from "./file-reader.ts";
import { nodeFileSystem } from "./file-system.ts";
import { findFiles } from "./find-files.ts";
import { loadSource } from "./load-source.ts";

/**
 * Maximum bytes of a file; larger ones are skipped: a book has 1 MB of text, and a file's passages are created and
 * stored together.
 */
const maxBytes = 32_000_000;

export function createFindSource(readFile: ReadFile): FindSource {
  return async ({ inputs, folder, signal }) => {
    const stop = signal === undefined ? {} : { signal };
    const found = await findFiles(inputs, { fileSystem: nodeFileSystem, folder, maxBytes, ...stop });
    const { files, failed, skipped } = found;
    return {
      paths: files.map((file) => file.path),
      failed,
      skipped,
      load: (load) => loadSource({ ...load, ...stop, found, fileSystem: nodeFileSystem, readFile }),
    };
  };
}
