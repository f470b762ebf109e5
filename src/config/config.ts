// Parses flags, environment and configuration file into one validated Config.
// Invariant: pure; flags override the environment, the environment overrides the file, and the file overrides the defaults;
// a message names the key as the user wrote it, the expected value and the actual value, and never contains a secret;
// settings that contradict each other are refused.
import type * as z from "zod";
import { ConfigError } from "../base/errors.ts";
import { nearestHint } from "../base/nearest-name.ts";
import { describeFault, describeValue } from "./describe-value.ts";
import { fileValues, type Found } from "./file-values.ts";
import type { SecretsFile } from "./references.ts";
import { type Config, configDefaults, isConfigKey, settingKeys, settings, withDefaults } from "./settings.ts";
import { nonBlank } from "./settings/forms.ts";
import { isWordForNull, shape, valueOf } from "./shape.ts";
import { zod } from "./zod.ts";

/** Flags by name, without dashes, and environment variables. */
export interface ConfigPlaces {
  readonly flags: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The places that a configuration is read from. */
export interface ConfigSources extends ConfigPlaces {
  /** The parsed content of the configuration file; undefined if there is no file. */
  readonly file: unknown;
  /** The path of the configuration file, as messages name it. */
  readonly filePath?: string;
  /** The file with secrets that are not in the environment. */
  readonly secrets?: SecretsFile;
}

export interface ParsedConfig {
  readonly config: Config;
  /** Where each value was set, by key. A key that is not in the map has its default. */
  readonly found: ReadonlyMap<keyof Config, Found>;
  /** Values of the secrets that the file refers to. They must not be shown anywhere. */
  readonly secretTexts: readonly string[];
}

/** Returns the validated configuration. Throws ConfigError for the first invalid value, unknown flag or unknown key. */
export function parseConfig(sources: ConfigSources): ParsedConfig {
  const { flags, env, file, filePath: where = "config.json" } = sources;
  checkFlagNames(flags);
  const isNamed = configPathOf(sources) !== undefined;
  const secrets = sources.secrets ?? { path: null, values: undefined };
  const inFile = fileValues({ file, where, isNamed, env, secrets });
  const found = new Map(inFile.found);
  found.set("dataDir", dataDirIn(sources, found.get("dataDir")));
  for (const key of settingKeys) {
    const value = textValue(key, sources);
    if (value !== undefined) found.set(key, value);
  }
  // The cast is sound: `found` always contains the data folder.
  const config = withDefaults(checkedValues(found)) as Config;
  checkThresholds(config, (key) => found.get(key)?.label ?? key);
  if (inFile.needsServer) checkServer(found, where);
  checkIsolation(config, found);
  return { config, found, secretTexts: inFile.secretTexts };
}

/**
 * Returns a program's values, and the defaults for all others; ignores undefined values and unknown keys. Throws ConfigError
 * for the first invalid value.
 */
export function configOf(values: Partial<Config>): Omit<Config, "dataDir"> & Partial<Pick<Config, "dataDir">> {
  const given = Object.entries(values).filter(([key, value]) => isConfigKey(key) && value !== undefined);
  const found = new Map(
    given.map(([key, value]): [keyof Config, Found] => [
      key as keyof Config,
      { value, label: key, from: { kind: "default" }, isSecret: false },
    ]),
  );
  // Any name is accepted, because a program may register its own models and embedders.
  const ownName = nonBlank(zod);
  const own = { model: ownName, summarizer: ownName.nullable(), bufferEmbedding: ownName.nullable() };
  const config = withDefaults(checkedValues(found, own));
  checkThresholds(config);
  // A configuration that `loadConfig` returned always has a `userId`, so only an id other than the default counts as set.
  if (config.userId !== configDefaults.userId) checkIsolation(config, found);
  return config;
}

/**
 * Returns the validated values. Throws ConfigError for the first invalid value, in the order of the settings. `own`: schemas
 * that replace those of the table.
 */
function checkedValues(
  found: ReadonlyMap<keyof Config, Found>,
  own: Partial<Record<keyof Config, z.ZodType>> = {},
): Partial<Config> {
  const values: Record<string, unknown> = {};
  for (const key of settingKeys) {
    const one = found.get(key);
    if (one === undefined) continue;
    const { data, error } = (own[key] ?? shape[key]).safeParse(one.value);
    if (error !== undefined) throw valueError(key, one, error);
    values[key] = data;
  }
  return values;
}

/** Returns the path of the configuration file from a flag or the environment; undefined if neither contains one. */
export function configPathOf({ flags, env }: ConfigPlaces): string | undefined {
  const given = flags["config"] ?? nonEmpty(env["PALIMPSEST_CONFIG"]);
  if (given === undefined) return undefined;
  if (given.trim() === "") throw new ConfigError("--config: expected the path of a file, got an empty string.");
  return fromHome(given, env);
}

/** Returns the data folder: `~/.palimpsest` on every system unless a flag or the environment names another. */
export function dataDirOf(sources: ConfigPlaces): string {
  return String(dataDirIn(sources, undefined).value);
}

function dataDirIn({ flags, env }: ConfigPlaces, inFile: Found | undefined): Found {
  const flag = flags["data-dir"];
  if (flag?.trim() === "") throw new ConfigError("--data-dir: expected the path of a folder, got an empty string.");
  if (flag !== undefined) return textFound(fromHome(flag, env), "flag", "--data-dir");
  const variable = nonEmpty(env["PALIMPSEST_DATA_DIR"]);
  if (variable !== undefined) return textFound(fromHome(variable, env), "environment", "PALIMPSEST_DATA_DIR");
  if (inFile !== undefined) {
    return typeof inFile.value === "string" ? { ...inFile, value: fromHome(inFile.value, env) } : inFile;
  }
  const home = homeOf(env);
  if (home !== undefined) {
    return { value: `${home}/.palimpsest`, label: "--data-dir", from: { kind: "default" }, isSecret: false };
  }
  throw new ConfigError("Expected a home folder in HOME, got none. Set --data-dir or PALIMPSEST_DATA_DIR.");
}

function homeOf(env: ConfigPlaces["env"]): string | undefined {
  return nonEmpty(env["HOME"]) ?? nonEmpty(env["USERPROFILE"]);
}

function fromHome(path: string, env: ConfigPlaces["env"]): string {
  const home = homeOf(env);
  return home !== undefined && path.startsWith("~/") ? `${home}${path.slice(1)}` : path;
}

/** Returns a setting's value from a flag or the environment, converted to the setting's type if possible. */
function textValue(key: keyof Config, { flags, env }: ConfigPlaces): Found | undefined {
  if (key === "dataDir") return undefined;
  const { flag, environment = [] } = settings[key];
  const text = flag === undefined ? undefined : flags[flag.name];
  if (flag !== undefined && text !== undefined) return textFound(textOrNull(key, text), "flag", `--${flag.name}`);
  const variable = environment.find((name) => nonEmpty(env[name]) !== undefined);
  if (variable === undefined) return undefined;
  return textFound(textOrNull(key, env[variable] ?? ""), "environment", variable);
}

function textOrNull(key: keyof Config, text: string): unknown {
  return isWordForNull(key, text) ? null : valueOf(key, text);
}

function textFound(value: unknown, kind: "flag" | "environment", name: string): Found {
  return { value, label: name, from: { kind, name }, isSecret: false };
}

function checkFlagNames(flags: Readonly<Record<string, string>>): void {
  const known = ["config", ...settingKeys.flatMap((key) => settings[key].flag?.name ?? [])];
  for (const name of Object.keys(flags)) {
    if (known.includes(name)) continue;
    throw new ConfigError(`Unknown setting ${describeValue(name)}. ${nearestHint(name, known, "Known settings")}`);
  }
}

function checkServer(found: ReadonlyMap<keyof Config, Found>, where: string): void {
  if (found.has("databaseUrl")) return;
  throw new ConfigError(
    `${where}: for the provider "postgresql", expected memory.persistent.connection_string, such as postgresql://USER@HOST/DATABASE, got none.`,
  );
}

/** Throws ConfigError if a user is configured although `userIsolation` is off, which gives all callers the same user. */
function checkIsolation({ userIsolation }: Pick<Config, "userIsolation">, found: ReadonlyMap<keyof Config, Found>) {
  const [user, isolation] = [found.get("userId"), found.get("userIsolation")];
  if (userIsolation !== "off" || user === undefined) return;
  throw new ConfigError(
    `${user.label} names a user, but ${isolation?.label ?? "userIsolation"} gives everyone the same user. Remove one of them.`,
  );
}

/** Returns the error for an invalid value, without the cause and zod's message, because both may contain the value. */
function valueError(key: keyof Config, { value, label, isSecret }: Found, error: z.ZodError): ConfigError {
  const { expected, isSecret: isAlwaysSecret } = settings[key];
  const got = isSecret || isAlwaysSecret === true ? "something else (not shown)" : describeFault(value, error);
  return new ConfigError(`${label}: expected ${expected}, got ${got}.`, { field: key });
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text === "" ? undefined : text;
}

export type ThresholdSettings = Pick<Config, "warnAt" | "compactAt" | "compactMessages" | "keepLast">;

/** Throws ConfigError for settings that contradict each other; `nameOf` returns their names for the message. */
export function checkThresholds(
  { warnAt, compactAt, compactMessages, keepLast }: ThresholdSettings,
  nameOf: (key: keyof ThresholdSettings) => string = (key) => key,
): void {
  if (warnAt > compactAt) {
    throw new ConfigError(
      `${nameOf("warnAt")}: expected at most ${nameOf("compactAt")} (${compactAt}), so that the warning comes first, got ${warnAt}.`,
    );
  }
  if (compactMessages !== null && compactMessages <= keepLast) {
    throw new ConfigError(
      `${nameOf("compactMessages")}: expected more than ${nameOf("keepLast")} (${keepLast}), so that there is something to summarize, got ${compactMessages}.`,
    );
  }
}
