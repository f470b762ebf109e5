// Files that the program makes at a person's word.
// Invariant: none that is there is ever written over, and only its owner may read it.
import { type FileHandle, open, rm } from "node:fs/promises";
import { ConfigError } from "../../base/errors.ts";
import { reasonOf, systemErrorCode } from "../../base/thrown-values.ts";

/** Throws ConfigError for a file that is there already, or cannot be made. */
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

/** Throws as `openNewFile`; what could not be written whole is not left behind. */
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
