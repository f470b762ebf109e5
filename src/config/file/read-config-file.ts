// Reads and parses a configuration file, JSON or YAML, without validating its settings.
// Invariant: no message contains the file's content; a file that the user names must exist, one in the data folder is optional.
import { open } from "node:fs/promises";
import path from "node:path";
import { messageOf, reasonOf, systemErrorCode } from "../../base/thrown-values.ts";
import { ConfigError } from "../../base/errors.ts";
import { configPathOf, type ConfigPlaces, dataDirOf } from "../config.ts";

export interface ConfigFile {
  readonly path: string;
  /** The parsed content; undefined if there is no file. */
  readonly content: unknown;
}

/** Possible names of the file in the data folder. */
const usualNames = ["config.json", "config.yaml", "config.yml"];

/** Maximum size in bytes, far above that of a real configuration. */
const maxBytes = 1_000_000;

/** Reads the file that a flag or the environment names, or else the one in the data folder. Throws ConfigError. */
export function readConfigFile(places: ConfigPlaces): Promise<ConfigFile> {
  const named = configPathOf(places);
  return named === undefined ? readUsualFile(dataDirOf(places)) : readNamedFile(named);
}

/**
 * Reads the named file. Throws ConfigError with the path if it does not exist, cannot be read, or is not valid JSON or YAML.
 */
export async function readNamedFile(file: string): Promise<ConfigFile> {
  const text = await readIfPresent(file);
  if (text === undefined) {
    throw new ConfigError(`${file} does not exist. Check the path of the configuration file.`);
  }
  return { path: file, content: await parse(text, file) };
}

/** Reads the file of a data folder. Throws ConfigError if it cannot be read or parsed, or if there are two. */
export async function readUsualFile(dataDir: string): Promise<ConfigFile> {
  const files = usualNames.map((name) => path.join(dataDir, name));
  const texts = await Promise.all(files.map(readIfPresent));
  const [found, other] = files.filter((_, index) => texts[index] !== undefined);
  if (found === undefined) return { path: files[0] as string, content: undefined };
  if (other !== undefined) {
    throw new ConfigError(
      `Expected one configuration file, got ${found} and ${other}. Remove one of them, or name one with --config.`,
    );
  }
  return { path: found, content: await parse(texts[files.indexOf(found)] as string, found) };
}

/**
 * Returns the text of a file, or undefined if it does not exist. Throws ConfigError if it is unreadable, too long or not
 * UTF-8.
 */
export async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await readBounded(file));
    return text.replace(/^\uFEFF/u, "");
  } catch (cause) {
    const code = systemErrorCode(cause);
    // ENOTDIR: the data folder is not a folder but a file, which the store reports later with a clearer message.
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    if (cause instanceof ConfigError) throw cause;
    throw new ConfigError(`${file} cannot be read: ${reasonOf(cause)}. Make it readable, or remove it.`, { cause });
  }
}

/** Reads a file of at most `maxBytes`. The bound also ends the reading of an endless device. */
async function readBounded(file: string): Promise<Uint8Array> {
  const handle = await open(file, "r");
  try {
    const buffer = new Uint8Array(maxBytes + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length);
      if (bytesRead === 0) return buffer.subarray(0, length);
      length += bytesRead;
      if (length > maxBytes) {
        throw new ConfigError(
          `${file} has more than ${maxBytes} bytes, which no configuration file needs. Name the right file.`,
        );
      }
    }
  } finally {
    await handle.close();
  }
}

/** Returns whether a file is YAML: by its extension or, if that is unknown, because its text does not begin with `{`. */
export function isYamlFile(file: string, text: string): boolean {
  return /\.ya?ml$/iu.test(file) || (!/\.json$/iu.test(file) && !/^\s*\{/u.test(text));
}

async function parse(text: string, file: string): Promise<unknown> {
  if (isYamlFile(file, text)) {
    const { parseYaml } = await import("./yaml-text.ts");
    // A file that contains only comments is an empty configuration.
    return parseYaml(text, file) ?? {};
  }
  return parseJson(text, file);
}

/** Parses JSON. Throws ConfigError with file, line and column. */
export function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The error has no cause: the parser's message quotes the text, which may contain API keys.
    throw new ConfigError(
      `${file}${placeOf(messageOf(error), text)} is not valid JSON. Fix it, or remove it to start with the defaults.`,
    );
  }
}

/** Returns the position that the parser's message names, such as ` (line 3, column 7)`; "" if V8 names none. */
function placeOf(reason: string, text: string): string {
  const position =
    /position (\d+)/u.exec(reason)?.[1] ?? (/end of JSON input/u.test(reason) ? String(text.length) : undefined);
  if (position === undefined) return "";
  const before = text.slice(0, Number(position)).split("\n");
  return ` (line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1})`;
}
