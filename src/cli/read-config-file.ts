// Reads `config.json` of a data folder, without judging what it says.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { messageOf } from "../base/error-message.ts";
import { ConfigError } from "../errors.ts";
import { reasonOf, systemErrorCode } from "./system-error.ts";

export interface ConfigFile {
  readonly path: string;
  /** Undefined when there is no file. */
  readonly content: unknown;
}

/** Throws ConfigError with the path, the place and what to do when the file cannot be read or is not JSON. */
export async function readConfigFile(dataDir: string): Promise<ConfigFile> {
  const file = path.join(dataDir, "config.json");
  const text = await readIfPresent(file);
  if (text === undefined) return { path: file, content: undefined };
  try {
    return { path: file, content: JSON.parse(text) };
  } catch (cause) {
    throw new ConfigError(
      `${file}${placeOf(messageOf(cause), text)} is not valid JSON. Mend it, or remove it to start from the defaults.`,
      { cause },
    );
  }
}

async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, "utf8")).replace(/^\uFEFF/u, "");
  } catch (cause) {
    const code = systemErrorCode(cause);
    // ENOTDIR: the data folder is a file, of which the store tells more clearly.
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new ConfigError(`${file} cannot be read: ${reasonOf(cause)}. Make it readable, or remove it.`, { cause });
  }
}

/** ` (line 3, column 7)` from the parser's words, which name a position, a line or nothing, by the version of V8. */
function placeOf(reason: string, text: string): string {
  const position =
    /position (\d+)/u.exec(reason)?.[1] ?? (/end of JSON input/u.test(reason) ? String(text.length) : undefined);
  if (position === undefined) return "";
  const before = text.slice(0, Number(position)).split("\n");
  return ` (line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1})`;
}
