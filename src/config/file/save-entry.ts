// Changes one entry of an object in a configuration file, JSON or YAML.
// Invariant: all other content stays, with the comments in YAML; references such as `${{ secrets.NAME }}` are not resolved.
import { configPathOf, type ConfigPlaces, dataDirOf } from "../config.ts";
import { ConfigError } from "../../base/errors.ts";
import { type ConfigFile, isYamlFile, readIfPresent, readNamedFile, readUsualFile } from "./read-config-file.ts";
import { writePrivately } from "./write-privately.ts";

export interface EntryChange {
  /** The keys that lead to the entry. */
  readonly path: readonly [string, ...string[]];
  /** Returns the new value, undefined to remove the entry. `before` is undefined if there was none. May throw. */
  readonly value: (before: unknown) => unknown;
}

/** Throws ConfigError if the file cannot be read or written, or has something else than an object on the path. */
export async function saveEntry(
  places: ConfigPlaces,
  { path, value }: EntryChange,
): Promise<{ readonly file: string; readonly before: unknown }> {
  const named = configPathOf(places);
  const file = await (named === undefined ? readUsualFile(dataDirOf(places)) : readNamedFile(named));
  const before = path.reduce<unknown>((holder, key) => entryOf(objectOf(holder, file, path), key), file.content);
  const edited = await editedText(file, path, value(before));
  await writePrivately(file.path, edited);
  return { file: file.path, before };
}

async function editedText(file: ConfigFile, path: EntryChange["path"], value: unknown): Promise<string> {
  const text = await readIfPresent(file.path);
  if (isYamlFile(file.path, text ?? "{}")) {
    const { editYamlEntry } = await import("./edit-yaml.ts");
    return editYamlEntry(text ?? "", path, value);
  }
  return `${JSON.stringify(withEntry(file.content, path, value), null, 2)}\n`;
}

function withEntry(holder: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  const copy: Record<string, unknown> = typeof holder === "object" ? { ...holder } : {};
  const changed = withEntry(Object.hasOwn(copy, key) ? copy[key] : undefined, rest, value);
  // A key such as `__proto__` stays a key.
  if (changed === undefined) delete copy[key];
  else Object.defineProperty(copy, key, { value: changed, enumerable: true, configurable: true, writable: true });
  return copy;
}

function entryOf(holder: Readonly<Record<string, unknown>> | undefined, key: string): unknown {
  return holder !== undefined && Object.hasOwn(holder, key) ? holder[key] : undefined;
}

function objectOf(
  value: unknown,
  file: ConfigFile,
  path: EntryChange["path"],
): Readonly<Record<string, unknown>> | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "object" && !Array.isArray(value)) return value as Readonly<Record<string, unknown>>;
  throw new ConfigError(`${file.path}: expected an object at ${path[0]}, got something else. Fix it by hand.`);
}
