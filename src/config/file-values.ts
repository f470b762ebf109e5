// Converts the content of a configuration file (flat keys and sections) to settings, and says which key set each of them.
// Invariant: pure; two different values for one setting are an error that names both keys; a value that
// must not be shown has `isSecret`.
import { isDeepStrictEqual } from "node:util";
import { ConfigError } from "../base/errors.ts";
import { isObject } from "../base/json-values.ts";
import { nearestHint } from "../base/nearest-name.ts";
import { describeValue } from "./describe-value.ts";
import { type NestedAssignment, readSections, topSections } from "./read-sections.ts";
import { resolveReferences, type SecretsFile } from "./references.ts";
import { type Config, isConfigKey, settings } from "./settings.ts";
import { isWordForNull, valueOf } from "./shape.ts";

/** Where a value was set: `name` is a key of the file, an environment variable, or a flag. */
export type Origin =
  | { readonly kind: "default" }
  | { readonly kind: "file" | "environment" | "flag"; readonly name: string };

export interface Found {
  readonly value: unknown;
  /** The key, variable or flag that set the value, as messages name it. */
  readonly label: string;
  readonly from: Origin;
  readonly isSecret: boolean;
}

export interface FileContent {
  /** The parsed content of the configuration file; undefined if there is no file. */
  readonly file: unknown;
  /** The path of the configuration file, as messages name it. */
  readonly where: string;
  /** Whether a flag or variable names the file. Only then may the file set `dataDir`. */
  readonly isNamed: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly secrets: SecretsFile;
}

/**
 * Returns the settings of a file, the values of the secrets that it refers to, and whether it requires a database server.
 * Throws ConfigError for the first key that is unknown, invalid or contradicts another.
 */
export function fileValues({ file, where, isNamed, env, secrets }: FileContent) {
  if (file === undefined) return { found: new Map<keyof Config, Found>(), secretTexts: [], needsServer: false };
  if (!isObject(file)) {
    throw new ConfigError(`${where}: expected an object such as {"model": "demo"}, got ${describeValue(file)}.`);
  }
  for (const key of Object.keys(file)) checkKey(key, { where, isNamed });
  const { content, secretPlaces, referencePlaces, secretTexts } = resolveReferences(file, { env, secrets, where });
  const resolved = isObject(content) ? content : {};
  const found = new Map<keyof Config, Found>();
  for (const [key, value] of Object.entries(resolved)) {
    if (!isConfigKey(key) || value === null) continue;
    const isReference = referencePlaces.has(key) && typeof value === "string";
    found.set(key, {
      value: isWordForNull(key, value) ? null : isReference ? valueOf(key, value) : value,
      label: `${where}: ${key}`,
      from: { kind: "file", name: key },
      isSecret: [...secretPlaces].some((place) => place.split(/[.[]/u)[0] === key),
    });
  }
  addNested(found, readSections(resolved, { where, secretPlaces, referencePlaces }), where);
  const needsServer = providerOf(resolved) === "postgresql";
  return { found, secretTexts, needsServer };
}

function checkKey(key: string, { where, isNamed }: Pick<FileContent, "where" | "isNamed">): void {
  const known = [...Object.keys(settings), ...topSections];
  if (!known.includes(key)) {
    throw new ConfigError(`${where}: unknown key ${describeValue(key)}. ${nearestHint(key, known, "Known keys")}`);
  }
  if (key === "dataDir" && !isNamed) {
    throw new ConfigError(
      `${where}: dataDir is not allowed in a configuration file that is in the data folder. Use --data-dir or PALIMPSEST_DATA_DIR, or name the file with --config.`,
    );
  }
}

function addNested(found: Map<keyof Config, Found>, assignments: readonly NestedAssignment[], where: string): void {
  const flat = new Map(found);
  // Explicit assignments are processed first, because an implied one only sets what is not set.
  const ordered = [...assignments].sort(
    (one, other) => Number(one.isImplied ?? false) - Number(other.isImplied ?? false),
  );
  for (const { setting, value, key, isSecret, isImplied, agrees } of ordered) {
    const before = found.get(setting);
    const added: Found = { value, label: `${where}: ${key}`, from: { kind: "file", name: key }, isSecret };
    if (before === undefined) found.set(setting, added);
    else if (isImplied === true || isDeepStrictEqual(before.value, value)) continue;
    else if (!flat.has(setting) || agrees?.(before.value) !== true) throw contradiction(where, setting, before, added);
  }
}

function contradiction(where: string, setting: keyof Config, before: Found, added: Found): ConfigError {
  const isSecret = settings[setting].isSecret === true || before.isSecret || added.isSecret;
  const describe = ({ from, value }: Found): string =>
    "name" in from ? `${from.name}${isSecret ? "" : ` (${setting}: ${describeValue(value)})`}` : "";
  return new ConfigError(`${where}: ${describe(before)} contradicts ${describe(added)}. Remove one of them.`);
}

function providerOf(content: Readonly<Record<string, unknown>>): unknown {
  const persistent = isObject(content["memory"]) ? content["memory"]["persistent"] : undefined;
  return isObject(persistent) ? persistent["provider"] : undefined;
}
