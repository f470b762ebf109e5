// Reads a configuration file, JSON or YAML, without judging what it says.
// Invariant: what it holds is in no message; a file that is named must be there, one of the data folder need not.
import { open } from "node:fs/promises";
import path from "node:path";
import { messageOf } from "../base/error-message.ts";
import { reasonOf, systemErrorCode } from "../base/system-error.ts";
import { ConfigError } from "../errors.ts";

export interface ConfigFile {
  readonly path: string;
  /** Undefined when there is no file. */
  readonly content: unknown;
}

/** Names of the file in the data folder. */
const usualNames = ["config.json", "config.yaml", "config.yml"];

/** Bytes: far more than a configuration has, and no strain to read. */
const maxBytes = 1_000_000;

/** Throws ConfigError with the path, the place and what to do when the file is not there, cannot be read, or is not what its name says. */
export async function readNamedFile(file: string): Promise<ConfigFile> {
  const text = await readIfPresent(file);
  if (text === undefined) {
    throw new ConfigError(`${file}: there is no such file. --config and PALIMPSEST_CONFIG name a file that is there.`);
  }
  return { path: file, content: await parse(text, file) };
}

/** The file of a data folder. Throws ConfigError likewise, and when there are two. */
export async function readUsualFile(dataDir: string): Promise<ConfigFile> {
  const files = usualNames.map((name) => path.join(dataDir, name));
  const texts = await Promise.all(files.map(readIfPresent));
  const [found, other] = files.filter((_, index) => texts[index] !== undefined);
  if (found === undefined) return { path: files[0] as string, content: undefined };
  if (other !== undefined) {
    throw new ConfigError(`There are both ${found} and ${other}. Remove one of them, or name one by --config.`);
  }
  return { path: found, content: await parse(texts[files.indexOf(found)] as string, found) };
}

/** Undefined when there is no such file. Throws ConfigError for one that cannot be read, is too long or is no text. */
export async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await readBounded(file));
    return text.replace(/^\uFEFF/u, "");
  } catch (cause) {
    const code = systemErrorCode(cause);
    // ENOTDIR: the data folder is a file, of which the store tells more clearly.
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    if (cause instanceof ConfigError) throw cause;
    throw new ConfigError(`${file} cannot be read: ${reasonOf(cause)}. Make it readable, or remove it.`, { cause });
  }
}

/** Never more than the bound, whatever is behind the path. */
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
        throw new ConfigError(`${file}: expected at most ${maxBytes} bytes, got more. Is it the right file?`);
      }
    }
  } finally {
    await handle.close();
  }
}

/** By its name; under any other, what begins with `{` is JSON. */
export function isYamlFile(file: string, text: string): boolean {
  return /\.ya?ml$/iu.test(file) || (!/\.json$/iu.test(file) && !/^\s*\{/u.test(text));
}

async function parse(text: string, file: string): Promise<unknown> {
  if (isYamlFile(file, text)) {
    const { parseYaml } = await import("./parse-yaml.ts");
    // Nothing but comments is a configuration that says nothing.
    return parseYaml(text, file) ?? {};
  }
  return parseJson(text, file);
}

/** Throws ConfigError with file, line and column. */
export function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // Without the cause, which quotes the text: it may hold keys.
    throw new ConfigError(
      `${file}${placeOf(messageOf(error), text)} is not valid JSON. Mend it, or remove it to start from the defaults.`,
    );
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
