// Changes settings, and entries of objects, in a configuration file (JSON or YAML), and secrets in its secrets file.
// Invariant: all other content of both files stays, including comments in YAML; API keys are written to the secrets file only;
// references such as `${{ secrets.NAME }}` are not resolved; the old file stays until the new content is on the disk,
// readable by its owner only.
import { describeKind } from "../../base/arguments/argument-checks.ts";
import { reasonOf } from "../../base/thrown-values.ts";
import { ConfigError } from "../../base/errors.ts";
import { isObject, type JsonObject } from "../../base/json-values.ts";
import { replaceFile } from "../../base/replace-file.ts";
import type { ConfigPlaces } from "../config.ts";
import { referencedNames, resolveReferences } from "../references.ts";
import type { SavedChanges, SettingChanges, SettingValues } from "../setting-changes.ts";
import { secretsOf } from "./load-config.ts";
import { type ConfigFile, isYamlFile, readConfigFile, readIfPresent } from "./read-config-file.ts";
import { readSecretsFile, secretsPath } from "./read-secrets-file.ts";
import type { EntryEdit } from "./yaml-text.ts";

/** Saves the changes. Throws ConfigError if a file cannot be read or written, or is invalid. */
export async function saveSettings(places: ConfigPlaces, changes: SettingChanges): Promise<SavedChanges> {
  const file = await readConfigFile(places);
  const { secret } = changes;
  const dropped = dropResult(contentOf(file), changes.dropped);
  const values: SettingValues = {
    ...changes.values,
    ...(secret === null ? {} : { [secret.key]: referenceTo(secret.name) }),
    ...(changes.dropped !== null && dropped === "removed" ? { [changes.dropped.key]: null } : {}),
  };
  const edited = await editedText(
    file,
    Object.entries(values).map(([key, value]) => ({ path: [key], value: value ?? undefined })),
  );
  const secretsFile = secret === null ? null : secretsPath(file.path, places.env["PALIMPSEST_SECRETS"]);
  // The secret is written before the configuration, which could not be read while it refers to a missing secret.
  if (secret !== null && secretsFile !== null) await addSecret(secretsFile, secret);
  await writePrivately(file.path, edited);
  return { file: file.path, secretsFile, dropped };
}

function dropResult(content: JsonObject, dropped: SettingChanges["dropped"]): SavedChanges["dropped"] {
  const value = dropped === null ? undefined : content[dropped.key];
  if (dropped === null || value === undefined || value === null) return "absent";
  return value === referenceTo(dropped.name) ? "removed" : "kept";
}

async function addSecret(file: string, { name, text }: NonNullable<SettingChanges["secret"]>): Promise<void> {
  const { values: known = {} } = await readSecretsFile(file);
  await writePrivately(file, jsonText({ ...known, [name]: text }));
}

function referenceTo(name: string): string {
  return `\${{ secrets.${name} }}`;
}

/** Returns the content as an object. Throws ConfigError for other content, which a write would destroy. */
function contentOf({ path, content }: ConfigFile): JsonObject {
  if (content === undefined || content === null) return {};
  if (isObject(content)) return content;
  throw new ConfigError(
    `${path}: expected an object such as {"model": "demo"}, got ${describeKind(content)}. Fix or remove the file.`,
  );
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

export interface EntryChange {
  /** The keys that lead from the top of the file to the entry. */
  readonly path: readonly [string, ...string[]];
  /** Returns the entry's new value; undefined removes the entry. `before`: the old value, undefined for none. May throw. */
  readonly value: (before: unknown) => unknown;
}

/**
 * Changes one entry. Throws ConfigError, with nothing changed, if the file cannot be read or written, if the entry's parent is
 * not an object, or if the file could not be loaded with the entry: for an undefined reference or a text that cannot be stored.
 */
export async function saveEntry(
  places: ConfigPlaces,
  { path, value }: EntryChange,
): Promise<{ readonly file: string; readonly before: unknown }> {
  const file = await readConfigFile(places);
  const before = path.reduce<unknown>((holder, key) => entryOf(objectOf(holder, file, path), key), file.content);
  const changed = value(before);
  const content = withEntry({}, path, changed);
  const secrets = await secretsOf(file, referencedNames(content), places.env);
  resolveReferences(content, { env: places.env, secrets, where: file.path });
  await writePrivately(file.path, await editedText(file, [{ path, value: changed }]));
  return { file: file.path, before };
}

async function editedText(file: ConfigFile, edits: readonly EntryEdit[]): Promise<string> {
  const text = await readIfPresent(file.path);
  if (isYamlFile(file.path, text ?? "{}")) {
    const { editYaml } = await import("./yaml-text.ts");
    return editYaml(text ?? "", edits, file.path);
  }
  return jsonText(edits.reduce((content, { path, value }) => withEntry(content, path, value), file.content));
}

function withEntry(holder: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  const copy: Record<string, unknown> = typeof holder === "object" ? { ...holder } : {};
  const changed = withEntry(Object.hasOwn(copy, key) ? copy[key] : undefined, rest, value);
  // `defineProperty` also sets a key such as `__proto__`; an assignment to it would change the prototype instead.
  if (changed === undefined) delete copy[key];
  else Object.defineProperty(copy, key, { value: changed, enumerable: true, configurable: true, writable: true });
  return copy;
}

function entryOf(holder: JsonObject | undefined, key: string): unknown {
  return holder !== undefined && Object.hasOwn(holder, key) ? holder[key] : undefined;
}

function objectOf(value: unknown, file: ConfigFile, path: EntryChange["path"]): JsonObject | undefined {
  if (value === undefined || value === null) return undefined;
  if (isObject(value)) return value;
  throw new ConfigError(
    `${file.path}: expected an object at ${path[0]}, got ${describeKind(value)}. Fix the file by hand.`,
  );
}

/**
 * Writes a file and creates its folder if needed. On failure, throws ConfigError with the path and the reason, and leaves the
 * file unchanged.
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
