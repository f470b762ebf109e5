// Replaces a file atomically, readable by its owner only.
// Invariant: the old file stays until the new content is on the disk; a symbolic link stays a link.
import { type FileHandle, mkdir, open, realpath, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { systemErrorCode, valueOn } from "./thrown-values.ts";

/** Writes a file and creates its folder if needed. On failure, throws the system's error and leaves the file unchanged. */
export async function replaceFile(file: string, content: string): Promise<void> {
  await makeFolder(path.dirname(file));
  const target = await realpath(file).catch(valueOn("ENOENT", file));
  // The draft is in the folder of the target, because a rename is atomic only within one file system. Its name has the
  // process id, so that it is unique.
  const draft = path.join(path.dirname(target), `.${path.basename(target)}.${process.pid}.new`);
  await rm(draft, { force: true });
  await moveInto(target, { draft, content, mode: 0o600 });
}

/** Writes content to a new file, the draft, and then renames the draft to `target`. On failure, removes the draft. */
export async function moveInto(
  target: string,
  { draft, content, mode }: { readonly draft: string; readonly content: string | Uint8Array; readonly mode?: number },
): Promise<void> {
  try {
    await write(draft, content, mode);
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/**
 * Creates a folder and its parents, accessible to their owner only. Does not use mkdir's `recursive`, which loops forever in
 * Node 20 where nothing can be created, such as in /proc.
 */
export async function makeFolder(folder: string): Promise<void> {
  if (await stat(folder).then(() => true, valueOn("ENOENT", false))) return;
  await makeFolder(path.dirname(folder));
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    // Another process has created the folder.
    if (systemErrorCode(error) !== "EEXIST") throw error;
  }
}

async function write(file: string, content: string | Uint8Array, mode: number | undefined): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, "wx", mode);
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle?.close();
  }
}
