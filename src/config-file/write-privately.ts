// Writes a file whole or not at all, for its owner alone.
// Invariant: until the new content is on the disk, the old file stands; one that is a link stays a link.
import { type FileHandle, mkdir, open, realpath, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { reasonOf, systemErrorCode } from "../base/system-error.ts";
import { ConfigError } from "../errors.ts";

/** Makes the folder if need be. Throws ConfigError with the path and the reason; then nothing has changed. */
export async function writePrivately(file: string, content: string): Promise<void> {
  try {
    await makeFolder(path.dirname(file));
    const target = await targetOf(file);
    // Beside it, since only within one file system is it replaced at once. Two processes do not write the same one.
    const draft = path.join(path.dirname(target), `.${path.basename(target)}.${process.pid}.new`);
    try {
      await write(draft, content);
      await rename(draft, target);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  } catch (cause) {
    throw new ConfigError(
      `${file} cannot be written: ${reasonOf(cause)}. Nothing was changed there. Make room or give yourself the right to write, or name another place by --config FILE or --data-dir FOLDER.`,
      { cause },
    );
  }
}

/** Not mkdir's own `recursive`: in a place such as /proc, where nothing can be made, Node 20 tries for ever. */
async function makeFolder(folder: string): Promise<void> {
  if (await isThere(folder)) return;
  await makeFolder(path.dirname(folder));
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    // Another process was faster.
    if (systemErrorCode(error) !== "EEXIST") throw error;
  }
}

async function isThere(folder: string): Promise<boolean> {
  try {
    await stat(folder);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return false;
    throw error;
  }
}

async function targetOf(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return file;
    throw error;
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
