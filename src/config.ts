// Flags, environment and configuration file to one validated Config.
// Invariant: pure; the earlier of flags, environment, file and defaults wins; a message names the key as the person
// wrote it, what was expected and what came, and never shows a secret.
import { z } from "zod";
import { nearestName } from "./base/nearest-name.ts";
import { checkThresholds } from "./config/agent-settings.ts";
import { configDefaults } from "./config/defaults.ts";
import { describeFault } from "./config/describe-fault.ts";
import { describeValue } from "./config/describe-value.ts";
import { fileValues } from "./config/file-values.ts";
import type { Found } from "./config/found-setting.ts";
import type { SecretsFile } from "./config/references.ts";
import { type Config, isConfigKey, settingKeys, settings } from "./config/settings.ts";
import { nonBlank } from "./config/settings/forms.ts";
import { shape } from "./config/shape.ts";
import { isWordForNull, valueOf } from "./config/text-values.ts";
import { ConfigError } from "./errors.ts";

/** Flags by their names without dashes, and the environment. */
export interface ConfigPlaces {
  readonly flags: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Where a configuration comes from. */
export interface ConfigSources extends ConfigPlaces {
  /** The parsed content of the configuration file; undefined when there is none. */
  readonly file: unknown;
  /** Its path, for messages. */
  readonly filePath?: string;
  /** Where its secrets are that are not in the environment. */
  readonly secrets?: SecretsFile;
}

export interface ParsedConfig {
  readonly config: Config;
  /** Where each value was found; what is not in it has its default. */
  readonly found: ReadonlyMap<keyof Config, Found>;
  /** What may be shown nowhere: the secrets that the file refers to. */
  readonly secretTexts: readonly string[];
}

/** Throws ConfigError for the first key that is wrong, or unknown among the flags and in the file. */
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
  const merged: Record<string, unknown> = { ...configDefaults };
  for (const [key, { value }] of found) merged[key] = value;
  const parsed = z.strictObject(shape).safeParse(merged);
  if (!parsed.success) throw valueError(parsed.error, found);
  checkThresholds(parsed.data, (key) => found.get(key)?.label ?? key);
  if (inFile.needsServer) checkServer(found, where);
  checkIsolation(parsed.data, found);
  return { config: parsed.data, found, secretTexts: inFile.secretTexts };
}

/**
 * The defaults with a program's own values over them; undefined ones are passed over, and other keys left out.
 * Throws ConfigError for the first value that is wrong.
 */
export function configOf(values: Partial<Config>): Omit<Config, "dataDir"> & Partial<Pick<Config, "dataDir">> {
  const given = Object.entries(values).filter(([key, value]) => isConfigKey(key) && value !== undefined);
  const found = new Map(given.map(([key, value]) => [key as keyof Config, programValue(key, value)]));
  // A program may bring models and embedders of its own, under any name.
  const ownName = nonBlank(z);
  const own = z
    .object({ ...shape, model: ownName, summarizer: ownName.nullable(), bufferEmbedding: ownName.nullable() })
    .partial({ dataDir: true });
  const parsed = own.safeParse({ ...configDefaults, ...Object.fromEntries(given) });
  if (!parsed.success) throw valueError(parsed.error, found);
  checkThresholds(parsed.data);
  // A whole configuration has its user in it, whether or not anybody named one.
  if (parsed.data.userId !== configDefaults.userId) checkIsolation(parsed.data, found);
  const { dataDir, ...others } = parsed.data;
  return dataDir === undefined ? others : { ...others, dataDir };
}

/** The configuration file that is named; undefined: it is looked for in the data folder. */
export function configPathOf({ flags, env }: ConfigPlaces): string | undefined {
  const given = flags["config"] ?? nonEmpty(env["PALIMPSEST_CONFIG"]);
  if (given === undefined) return undefined;
  if (given.trim() === "") throw new ConfigError("--config: expected the path of a file, got an empty text.");
  return fromHome(given, env);
}

/** The data folder: `~/.palimpsest` on every system unless a flag or the environment says otherwise. */
export function dataDirOf(sources: ConfigPlaces): string {
  return String(dataDirIn(sources, undefined).value);
}

function dataDirIn({ flags, env }: ConfigPlaces, inFile: Found | undefined): Found {
  const flag = flags["data-dir"];
  if (flag?.trim() === "") throw new ConfigError("--data-dir: expected the path of a folder, got an empty text.");
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
  throw new ConfigError("No home folder is known (HOME is not set): set --data-dir or PALIMPSEST_DATA_DIR.");
}

function homeOf(env: ConfigPlaces["env"]): string | undefined {
  return nonEmpty(env["HOME"]) ?? nonEmpty(env["USERPROFILE"]);
}

function fromHome(path: string, env: ConfigPlaces["env"]): string {
  const home = homeOf(env);
  return home !== undefined && path.startsWith("~/") ? `${home}${path.slice(1)}` : path;
}

/** A setting from a flag or the environment: text, made a number where one is wanted and it is one. */
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

function programValue(key: string, value: unknown): Found {
  return { value, label: key, from: { kind: "default" }, isSecret: false };
}

function checkFlagNames(flags: Readonly<Record<string, string>>): void {
  const known = ["config", ...settingKeys.flatMap((key) => settings[key].flag?.name ?? [])];
  for (const name of Object.keys(flags)) {
    if (known.includes(name)) continue;
    const near = nearestName(name, known);
    const hint = near === undefined ? `Known are: ${known.join(", ")}.` : `Did you mean "${near}"?`;
    throw new ConfigError(`Unknown setting ${describeValue(name)}. ${hint}`);
  }
}

function checkServer(found: ReadonlyMap<keyof Config, Found>, where: string): void {
  const server = found.get("databaseUrl");
  if (server !== undefined) return;
  throw new ConfigError(
    `${where}: memory.persistent.provider is "postgresql": expected memory.persistent.connection_string, such as postgresql://USER@HOST/DATABASE, got none.`,
  );
}

/** Whoever wants one user for all cannot name one as well. */
function checkIsolation({ userIsolation }: Pick<Config, "userIsolation">, found: ReadonlyMap<keyof Config, Found>) {
  const [user, isolation] = [found.get("userId"), found.get("userIsolation")];
  if (userIsolation !== "off" || user === undefined) return;
  throw new ConfigError(
    `${user.label} names a user, but ${isolation?.label ?? "userIsolation"} says that there is one user for all. Remove one of them.`,
  );
}

function valueError(error: z.ZodError, found: ReadonlyMap<keyof Config, Found>): ConfigError {
  const key = String(error.issues[0]?.path[0] ?? "");
  // Neither the cause nor zod's words: they may carry the value.
  if (!isConfigKey(key)) return new ConfigError("The configuration is not valid.");
  const { value, label, isSecret } = found.get(key) ?? programValue(key, undefined);
  const { expected, isSecret: isAlwaysSecret } = settings[key];
  const got = isSecret || isAlwaysSecret === true ? "something else (not shown)" : describeFault(value, error, 1);
  return new ConfigError(`${label}: expected ${expected}, got ${got}.`);
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text === "" ? undefined : text;
}
