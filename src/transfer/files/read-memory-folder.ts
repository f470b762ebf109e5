// Reads the Markdown files of a folder of memory.
// Invariant: symbolic links in the folder are not followed, hidden folders and node_modules are not entered; one file is in
// memory at a time.
import { lstat, readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { ConfigError } from "../../base/errors.ts";
import { valueOn } from "../../base/thrown-values.ts";
import type { FolderItem } from "../folder/folder-form.ts";
import { importFault } from "../import-fault.ts";
import { type ImportSource, unreadable } from "./find-documents.ts";
import type { ReadImportOptions } from "./read-import-file.ts";

/** A folder with an AGENTS.md or CLAUDE.md at its root is a project: only files with these names are memory. */
const instructions = /^(?:AGENTS|CLAUDE)(?:\.\w+)?\.md$/u;
/** Maximum bytes of a file: a passage has at most 1,000,000 characters, of up to 4 bytes each. */
const maxBytes = 4_100_000;

/** Yields the files of a folder, or the file at the path. Throws RequestError `import_invalid`; ConfigError if unreadable. */
export async function* readMemoryFolder(
  source: ImportSource,
  options: Pick<ReadImportOptions, "files" | "onOtherFile" | "onBytes" | "signal">,
): AsyncGenerator<FolderItem, void> {
  if (typeof source !== "string") throw new ConfigError("Expected the path of a folder, got a stream.");
  const names = await namesIn(source, options.files);
  if (names.length === 0) throw importFault(`${source} has no file that ends in .md`);
  let bytes = 0;
  for (const name of names) {
    options.signal?.throwIfAborted();
    const item = await readItem(source, name);
    if (item === null) options.onOtherFile?.(name);
    else yield item;
    bytes += Buffer.byteLength(item?.text ?? "");
    options.onBytes?.(bytes, null);
  }
}

/** Returns the paths of the files, relative to the folder; "" for a source that is a file. */
async function namesIn(source: string, files: RegExp): Promise<readonly string[]> {
  const found = await stat(source).catch(unreadable(source));
  if (!found.isDirectory()) return [""];
  const isProject = (await entriesOf(source)).some(({ name }) => instructions.test(name));
  return filesBelow(source, "", isProject ? instructions : files);
}

async function filesBelow(source: string, below: string, files: RegExp): Promise<readonly string[]> {
  const found = await Promise.all(
    (await entriesOf(path.join(source, below))).map(async (entry): Promise<readonly string[]> => {
      if (entry.name.startsWith(".") || entry.name === "node_modules") return [];
      const name = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) return filesBelow(source, name, files);
      return files.test(entry.name) ? [name] : [];
    }),
  );
  return found.flat().toSorted();
}

/** Returns the entries of a folder; none if the folder was deleted meanwhile. */
function entriesOf(folder: string) {
  return readdir(folder, { withFileTypes: true }).catch(valueOn("ENOENT", [])).catch(unreadable(folder));
}

/** Returns the memory in a file; null if the file is too large, is not a text file, or was deleted meanwhile. */
async function readItem(source: string, name: string): Promise<FolderItem | null> {
  const file = path.join(source, name);
  const found = await (name === "" ? stat : lstat)(file).catch(valueOn("ENOENT", null)).catch(unreadable(file));
  if (found === null || !found.isFile() || found.size > maxBytes) return null;
  const bytes = await readFile(file).catch(valueOn("ENOENT", null)).catch(unreadable(file));
  const text = bytes === null ? null : decoded(bytes);
  const own = name === "" ? path.basename(source) : name;
  return text === null ? null : { isMemoryFile: true, path: own, text, at: Math.floor(found.mtimeMs) };
}

function decoded(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
