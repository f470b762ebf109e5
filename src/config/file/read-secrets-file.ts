// Reads the secrets file of a configuration: a JSON object of names and secret texts.
// Invariant: the file is read only if needed, and only if no one but its owner may read it; no message contains its content.
import { describeKind } from "../../base/arguments/argument-checks.ts";
import { stat } from "node:fs/promises";
import path from "node:path";
import { reasonOf, systemErrorCode } from "../../base/thrown-values.ts";
import type { SecretsFile } from "../references.ts";
import { ConfigError } from "../../base/errors.ts";
import { parseJson, readIfPresent } from "./read-config-file.ts";

/** Returns the path of the secrets file: `named` if given, otherwise `secrets.json` beside the configuration file. */
export function secretsPath(configFile: string, named: string | undefined): string {
  return named === undefined || named === "" ? path.join(path.dirname(configFile), "secrets.json") : named;
}

/** Reads the secrets. Throws ConfigError if other users may read the file, or if it is unreadable or invalid. */
export async function readSecretsFile(file: string): Promise<SecretsFile> {
  const mode = await modeOf(file);
  if (mode === undefined) return { path: file, values: undefined };
  // Windows has no permission bits.
  if (process.platform !== "win32" && (mode & 0o077) !== 0) {
    throw new ConfigError(`${file} contains secrets, but other users may read it. Run: chmod 600 ${quoted(file)}`);
  }
  const text = await readIfPresent(file);
  return { path: file, values: text === undefined ? undefined : valuesOf(parseJson(text, file), file) };
}

/**
 * Returns the environment variables in a file. Throws the same errors as `readSecretsFile`, and ConfigError if the file does
 * not exist.
 */
export async function readEnvironmentFile(file: string): Promise<Readonly<Record<string, string>>> {
  const { values } = await readSecretsFile(file);
  if (values !== undefined) return values;
  throw new ConfigError(`--env-file: ${file} does not exist. Check the path, or run \`palimpsest mcp install\` again.`);
}

async function modeOf(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).mode;
  } catch (cause) {
    const code = systemErrorCode(cause);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new ConfigError(`${file} cannot be read: ${reasonOf(cause)}. Give yourself the permission to read it.`, {
      cause,
    });
  }
}

function valuesOf(content: unknown, file: string): Readonly<Record<string, string>> {
  const expected = 'expected an object of strings, such as {"POSTGRES_URI": "postgresql://…"}';
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    throw new ConfigError(`${file}: ${expected}, got ${describeKind(content)}.`);
  }
  const entries = Object.entries(content).map(([key, value]): [string, string] => {
    if (typeof value === "string" && value !== "") return [key, value];
    const got = value === "" ? "an empty string" : describeKind(value);
    throw new ConfigError(`${file}: ${expected}, got ${got} for ${JSON.stringify(key)}.`);
  });
  return Object.fromEntries(entries);
}

function quoted(file: string): string {
  return /^[\w./-]+$/u.test(file) ? file : `'${file.replaceAll("'", String.raw`'\''`)}'`;
}
