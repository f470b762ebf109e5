// Creates files that the user names.
// Invariant: an existing file is never overwritten, and only the owner can read a new one.
import { type FileHandle, open, rm } from "node:fs/promises";
import { ConfigError } from "../../base/errors.ts";
import { reasonOf, systemErrorCode } from "../../base/thrown-values.ts";
import type { CommandCall, Result } from "./command.ts";
import { notice } from "./print.ts";

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

/** Writes a text to a new file, or to standard output for `-`, and returns the result. `what` names the text. */
export async function writeText(
  call: CommandCall,
  file: string,
  { text, what }: { readonly text: string; readonly what: string },
): Promise<Result | number> {
  if (file === "-") {
    call.world.stdout.write(text);
    notice(call, `wrote ${what}`);
    return 0;
  }
  await createTextFile(file, text);
  return { text: `Wrote ${what} to ${file}.` };
}
