// Replaces a file atomically, readable by its owner only.
// Invariant: the old file stays until the new content is on the disk; a symbolic link stays a link.
import { type FileHandle, mkdir, open, realpath, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { systemErrorCode, valueOn } from "./thrown-values.ts";

/** Writes a file and creates its folder if needed. On failure, throws the system's error and leaves the file unchanged. */
export async function replaceFile(file: string, content: string): Promise<void> {
  await makeFolder(path.dirname(file));
  const target = await realpath(file).catch(valueOn("ENOENT", file));
  // The draft is beside the target, because rename is atomic only in one file system. The process id makes its name unique.
  const draft = path.join(path.dirname(target), `.${path.basename(target)}.${process.pid}.new`);
  try {
    await write(draft, content);
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

async function write(file: string, content: string): Promise<void> {
  await rm(file, { force: true });
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, "wx", 0o600);
    await handle.writeFile(content, "utf8");
    await handle.sync();
  } finally {
    await handle?.close();
  }
}
