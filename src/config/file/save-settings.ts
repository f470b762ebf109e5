// Changes settings in a configuration file, JSON or YAML, and keys in its secrets file.
// Invariant: all other content of both files stays, including comments in YAML; keys are written to the secrets file only.
import { configPathOf, type ConfigPlaces, dataDirOf } from "../config.ts";
import type { SavedChanges, SettingChanges, SettingValues } from "../setting-changes.ts";
import { ConfigError } from "../../base/errors.ts";
import { type ConfigFile, isYamlFile, readIfPresent, readNamedFile, readUsualFile } from "./read-config-file.ts";
import { readSecretsFile, secretsPath } from "./read-secrets-file.ts";
import { writePrivately } from "./write-privately.ts";

/** Saves the changes. Throws ConfigError if a file cannot be read or written, or is invalid. */
export async function saveSettings(places: ConfigPlaces, changes: SettingChanges): Promise<SavedChanges> {
  const named = configPathOf(places);
  const file = await (named === undefined ? readUsualFile(dataDirOf(places)) : readNamedFile(named));
  const { secret } = changes;
  const dropped = dropResult(contentOf(file), changes.dropped);
  const edited = await editText(file, {
    ...changes.values,
    ...(secret === null ? {} : { [secret.key]: referenceTo(secret.name) }),
    ...(changes.dropped !== null && dropped === "removed" ? { [changes.dropped.key]: null } : {}),
  });
  const secretsFile = secret === null ? null : secretsPath(file.path, places.env["PALIMPSEST_SECRETS"]);
  // The secret is written first, because a configuration that refers to a missing secret cannot be read.
  if (secret !== null && secretsFile !== null) await addSecret(secretsFile, secret);
  await writePrivately(file.path, edited);
  return { file: file.path, secretsFile, dropped };
}

function dropResult(
  content: Readonly<Record<string, unknown>>,
  dropped: SettingChanges["dropped"],
): SavedChanges["dropped"] {
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

/** Returns the content as an object. Throws ConfigError for other content, which writing would lose. */
function contentOf({ path, content }: ConfigFile): Readonly<Record<string, unknown>> {
  if (content === undefined || content === null) return {};
  if (typeof content === "object" && !Array.isArray(content)) return { ...content };
  throw new ConfigError(`${path}: expected an object such as {"model": "demo"}, got something else. Fix or remove it.`);
}

/** Returns the file's text with the new values. */
async function editText(file: ConfigFile, values: SettingValues): Promise<string> {
  const text = await readIfPresent(file.path);
  if (isYamlFile(file.path, text ?? "{}")) {
    const { editYaml } = await import("./edit-yaml.ts");
    return editYaml(text ?? "", values);
  }
  const edited: Record<string, unknown> = { ...contentOf(file), ...values };
  for (const [key, value] of Object.entries(values)) if (value === null) delete edited[key];
  return jsonText(edited);
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
