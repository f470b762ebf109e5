// Flags, environment and configuration file to one validated Config.
// Invariant: pure; the earlier of flags, environment, file and defaults wins; a message names the key as the person
// wrote it, what was expected and what came, and never shows a secret.
import { z } from "zod";
import { nearestName } from "./base/nearest-name.ts";
import { checkThresholds } from "./config/agent-settings.ts";
import { describeValue } from "./config/describe-value.ts";
import { nonBlank } from "./config/setting-forms.ts";
import { type Config, configDefaults, isConfigKey, settings, shape } from "./config/settings.ts";
import { ConfigError } from "./errors.ts";

/** Where a configuration comes from. Keys of `flags` are the names of flags without their dashes. */
export interface ConfigSources {
  readonly flags: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The parsed content of `config.json`; undefined when there is none. */
  readonly file: unknown;
  /** Its path, for messages. */
  readonly filePath?: string;
}

/** Throws ConfigError for the first key that is wrong, or unknown among the flags and in the file. */
export function parseConfig(sources: ConfigSources): Config {
  const found = new Map<keyof Config, Found>();
  found.set("dataDir", { value: dataDirOf(sources), origin: "--data-dir" });
  for (const [key, found_] of fileValues(sources)) found.set(key, found_);
  for (const key of configKeys) {
    const value = textValue(key, sources);
    if (value !== undefined) found.set(key, value);
  }
  checkFlagNames(sources.flags);
  const merged: Record<string, unknown> = { ...configDefaults };
  for (const [key, { value }] of found) merged[key] = value;
  const parsed = z.strictObject(shape).safeParse(merged);
  if (!parsed.success) throw valueError(parsed.error, found);
  checkThresholds(parsed.data);
  return parsed.data;
}

/**
 * The defaults with a program's own values over them; undefined ones are passed over, and other keys left out.
 * Throws ConfigError for the first value that is wrong.
 */
export function configOf(values: Partial<Config>): Omit<Config, "dataDir"> & Partial<Pick<Config, "dataDir">> {
  const given = Object.entries(values).filter(([key, value]) => isConfigKey(key) && value !== undefined);
  const found = new Map(given.map(([key, value]) => [key as keyof Config, { value, origin: key }]));
  // A program may bring models of its own, under any name.
  const own = z.object({ ...shape, model: nonBlank, summarizer: nonBlank.nullable() }).partial({ dataDir: true });
  const parsed = own.safeParse({ ...configDefaults, ...Object.fromEntries(given) });
  if (!parsed.success) throw valueError(parsed.error, found);
  checkThresholds(parsed.data);
  const { dataDir, ...others } = parsed.data;
  return dataDir === undefined ? others : { ...others, dataDir };
}

/** The data folder, in which the configuration file is looked for: `~/.palimpsest` on every system unless set. */
export function dataDirOf(sources: Pick<ConfigSources, "flags" | "env">): string {
  const home = nonEmpty(sources.env["HOME"]) ?? nonEmpty(sources.env["USERPROFILE"]);
  const given = sources.flags["data-dir"] ?? nonEmpty(sources.env["PALIMPSEST_DATA_DIR"]);
  if (given === undefined) {
    if (home !== undefined) return `${home}/.palimpsest`;
    throw new ConfigError("No home folder is known (HOME is not set): set --data-dir or PALIMPSEST_DATA_DIR.");
  }
  if (given.trim() === "") throw new ConfigError("--data-dir: expected the path of a folder, got an empty text.");
  return home !== undefined && given.startsWith("~/") ? `${home}${given.slice(1)}` : given;
}

/** A value with the name of the place it came from. */
interface Found {
  readonly value: unknown;
  readonly origin: string;
}

/** The keys of a configuration file, which may hold all of Config but the folder that it lies in. */
const configKeys = Object.keys(settings).filter(isConfigKey);
/** Numbers whose default is null. */
const limitless: ReadonlySet<keyof Config> = new Set([
  "contextWindow",
  "maxTurnTokens",
  "maxTurnDollars",
  "compactMessages",
  "embeddingDimensions",
  "embeddingWindow",
  "embeddingFloor",
]);
const numericKeys: ReadonlySet<keyof Config> = new Set(
  configKeys.filter((key) => limitless.has(key) || (key !== "dataDir" && typeof configDefaults[key] === "number")),
);

/** A setting from a flag or the environment: text, made a number where one is wanted and it is one. */
function textValue(key: keyof Config, { flags, env }: ConfigSources): Found | undefined {
  if (key === "dataDir") return undefined;
  const { flag, environment = [] } = settings[key];
  const variable = environment.find((name) => nonEmpty(env[name]) !== undefined);
  const [text, origin] =
    flag !== undefined && flags[flag] !== undefined ? [flags[flag], `--${flag}`] : [env[variable ?? ""], variable];
  if (text === undefined || origin === undefined) return undefined;
  if (isWordForNull(key, text)) return { value: null, origin };
  return { value: valueOf(key, text), origin };
}

/** Names with commas between them. */
const listKeys: ReadonlySet<keyof Config> = new Set(["approvals", "modelInputs"]);

function valueOf(key: keyof Config, text: string): unknown {
  if (key === "modelInputs" && text === "none") return [];
  if (listKeys.has(key)) return text.split(",").map((name) => name.trim());
  return numericKeys.has(key) && /^\d+(\.\d+)?$/u.test(text) ? Number(text) : text;
}

function fileValues({ file, filePath }: ConfigSources): readonly (readonly [keyof Config, Found])[] {
  if (file === undefined) return [];
  const where = filePath ?? "config.json";
  if (typeof file !== "object" || file === null || Array.isArray(file)) {
    throw new ConfigError(`${where}: expected an object such as {"model": "demo"}, got ${describeValue(file)}.`);
  }
  const values: [keyof Config, Found][] = [];
  for (const [key, value] of Object.entries(file)) {
    if (!isConfigKey(key)) throw unknownName(`${where}: unknown key`, key, configKeys);
    if (key === "dataDir") {
      throw new ConfigError(
        `${where}: dataDir cannot stand here, since the file is found in it. Use --data-dir or PALIMPSEST_DATA_DIR.`,
      );
    }
    if (value !== null)
      values.push([key, { value: isWordForNull(key, value) ? null : value, origin: `${where}: ${key}` }]);
  }
  return values;
}

const wordsForNull: Readonly<Partial<Record<keyof Config, string>>> = {
  databaseUrl: "embedded",
  approvalTimeout: "never",
  modelInputs: "auto",
  compactMessages: "none",
  summarizer: "none",
};

/** Null itself means that nothing is said. */
function isWordForNull(key: keyof Config, value: unknown): boolean {
  return wordsForNull[key] === value;
}

function checkFlagNames(flags: Readonly<Record<string, string>>): void {
  const known = Object.values(settings).flatMap(({ flag }) => flag ?? []);
  for (const name of Object.keys(flags)) {
    if (!known.includes(name)) throw unknownName("Unknown setting", name, known);
  }
}

function unknownName(what: string, name: string, known: readonly string[]): ConfigError {
  const near = nearestName(name, known);
  const hint = near === undefined ? `Known are: ${known.join(", ")}.` : `Did you mean "${near}"?`;
  return new ConfigError(`${what} ${describeValue(name)}. ${hint}`);
}

function valueError(error: z.ZodError, found: ReadonlyMap<keyof Config, Found>): ConfigError {
  const key = String(error.issues[0]?.path[0] ?? "");
  if (!isConfigKey(key)) return new ConfigError(`The configuration is not valid: ${error.message}`, { cause: error });
  const { value, origin } = found.get(key) ?? { value: undefined, origin: key };
  const { expected, isSecret } = settings[key];
  // The cause would carry the value as well, so it is left out.
  return new ConfigError(
    `${origin}: expected ${expected}, got ${isSecret ? "something else (not shown)" : describeValue(value)}.`,
  );
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text === "" ? undefined : text;
}
