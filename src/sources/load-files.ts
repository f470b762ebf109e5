// Loads files, folders and patterns into a source: finds the files, then loads them.
import type { LoadFiles } from "../memory/source-load.ts";
import { nodeFileSystem } from "./file-system.ts";
import { findFiles } from "./find-files.ts";
import { loadSource } from "./load-source.ts";

/**
 * Maximum bytes of a file; larger ones are skipped: a book has 1 MB of text, and a file's passages are created and
 * stored together.
 */
const maxBytes = 32_000_000;

export const loadFiles: LoadFiles = async ({ inputs, folder, ...load }) => {
  const signal = load.signal === undefined ? {} : { signal: load.signal };
  const found = await findFiles(inputs, { fileSystem: nodeFileSystem, folder, maxBytes, ...signal });
  return loadSource({ ...load, found, fileSystem: nodeFileSystem });
};
