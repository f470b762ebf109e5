// Creates files that the user names.
// Invariant: an existing file is never overwritten, and only the owner can read a new one.
import { type FileHandle, open, rm } from "node:fs/promises";
import { ConfigError } from "../../base/errors.ts";
import { reasonOf, systemErrorCode } from "../../base/thrown-values.ts";

/** Creates a file and returns its handle. Throws ConfigError for a file that exists or cannot be created. */
export async function openNewFile(file: string): Promise<FileHandle> {
  try {
    return await open(file, "wx", 0o600);
  } catch (cause) {
    if (systemErrorCode(cause) === "EEXIST")
      throw new ConfigError(`${file} already exists. Choose another name, or remove the file first.`, { cause });
    throw new ConfigError(
      `${file} cannot be written: ${reasonOf(cause)}. Name a file in an existing folder that you may write to.`,
      { cause },
    );
  }
}

/** Creates a file with a text. Throws the same errors as `openNewFile`. Removes a file that could not be written completely. */
export async function createTextFile(file: string, text: string): Promise<void> {
  const handle = await openNewFile(file);
  try {
    await handle.writeFile(text);
    await handle.close();
  } catch (cause) {
    await handle.close();
    await rm(file, { force: true });
    throw new ConfigError(`${file} cannot be written: ${reasonOf(cause)}.`, { cause });
  }
}
