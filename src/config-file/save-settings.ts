// Changes settings in a configuration file, JSON or YAML, and keys in the file of secrets beside it.
// Invariant: what else stands in both stays, in YAML with its comments; a key stands in the file of secrets alone.
import { configPathOf, type ConfigPlaces, dataDirOf } from "../config.ts";
import type { SavedChanges, SettingChanges, SettingValues } from "../config/setting-changes.ts";
import { ConfigError } from "../errors.ts";
import { type ConfigFile, isYamlFile, readIfPresent, readNamedFile, readUsualFile } from "./read-config-file.ts";
import { readSecretsFile, secretsPath } from "./read-secrets-file.ts";
import { writePrivately } from "./write-privately.ts";

/** Throws ConfigError when a file cannot be read or written, or is not what it should be. */
export async function saveSettings(places: ConfigPlaces, changes: SettingChanges): Promise<SavedChanges> {
  const named = configPathOf(places);
  const file = await (named === undefined ? readUsualFile(dataDirOf(places)) : readNamedFile(named));
  const { secret } = changes;
  const dropped = howDropped(contentOf(file), changes.dropped);
  const edited = await editText(file, {
    ...changes.values,
    ...(secret === null ? {} : { [secret.key]: referenceTo(secret.name) }),
    ...(changes.dropped !== null && dropped === "taken away" ? { [changes.dropped.key]: null } : {}),
  });
  const secretsFile = secret === null ? null : secretsPath(file.path, places.env["PALIMPSEST_SECRETS"]);
  // First: a configuration that refers to a secret which is not there yet could not be read.
  if (secret !== null && secretsFile !== null) await addSecret(secretsFile, secret);
  await writePrivately(file.path, edited);
  return { file: file.path, secretsFile, dropped };
}

function howDropped(
  content: Readonly<Record<string, unknown>>,
  dropped: SettingChanges["dropped"],
): SavedChanges["dropped"] {
  const value = dropped === null ? undefined : content[dropped.key];
  if (dropped === null || value === undefined || value === null) return "absent";
  return value === referenceTo(dropped.name) ? "taken away" : "left";
}

async function addSecret(file: string, { name, text }: NonNullable<SettingChanges["secret"]>): Promise<void> {
  const { values: known = {} } = await readSecretsFile(file);
  await writePrivately(file, jsonText({ ...known, [name]: text }));
}

function referenceTo(name: string): string {
  return `\${{ secrets.${name} }}`;
}

/** Throws ConfigError for a file whose content would be lost. */
function contentOf({ path, content }: ConfigFile): Readonly<Record<string, unknown>> {
  if (content === undefined || content === null) return {};
  if (typeof content === "object" && !Array.isArray(content)) return { ...content };
  throw new ConfigError(
    `${path}: expected an object such as {"model": "demo"}, got something else. Mend or remove it.`,
  );
}

/** The whole text of the file as it is to be. */
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
