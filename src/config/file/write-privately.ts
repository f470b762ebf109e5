// Writes a configuration file, readable by its owner only.
// Invariant: the old file stays until the new content is on the disk.
import { replaceFile } from "../../base/replace-file.ts";
import { reasonOf } from "../../base/system-error.ts";
import { ConfigError } from "../../base/errors.ts";

/**
 * Writes a file and creates its folder if needed. Throws ConfigError with the path and the reason; the file is unchanged
 * then.
 */
export async function writePrivately(file: string, content: string): Promise<void> {
  try {
    await replaceFile(file, content);
  } catch (cause) {
    throw new ConfigError(
      `${file} cannot be written: ${reasonOf(cause)}. The file was not changed. Free disk space, give yourself write permission, or name another place with --config FILE or --data-dir FOLDER.`,
      { cause },
    );
  }
}
