// Loads the configuration from flags, environment and file, for the command line and for programs.
// Invariant: the configuration file is read once, and the secrets file only if the configuration refers to a secret.
import { checkThat, optional, options as optionsOf, record, text } from "../../base/arguments/argument-checks.ts";
import { type ConfigPlaces, parseConfig, type ParsedConfig } from "../config.ts";
import { referencedNames, type ReferencedNames, type SecretsFile } from "../references.ts";
import { type ConfigFile, readConfigFile } from "./read-config-file.ts";
import { readEnvironmentFile, readSecretsFile, secretsPath } from "./read-secrets-file.ts";

export interface LoadConfigOptions extends Partial<ConfigPlaces> {
  /** The path of the configuration file. Default: the file that `env` or `flags` name, or else the file in the data folder. */
  readonly file?: string;
}

export interface LoadedConfig extends ParsedConfig {
  /** The file that was read; null if there was none. */
  readonly file: string | null;
  /** The names of the secrets and environment variables to which the file refers. */
  readonly references: ReferencedNames;
}

const checkOptions = optionsOf<LoadConfigOptions>({
  file: optional(text),
  flags: optional(record),
  // Accepts any object, because `process.env` is not a plain object.
  env: optional(checkThat("an object such as process.env", (value) => typeof value === "object" && value !== null)),
});

/**
 * Loads and validates a configuration. A program passes `process.env` as `env`. Throws ConfigError, which names key, file and
 * expected value.
 */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<LoadedConfig> {
  checkOptions(options, { of: "configuration", call: "loadConfig", field: "options", isArgument: true });
  const { file, flags: { "env-file": variables, ...given } = {} } = options;
  const env = { ...options.env, ...(variables === undefined ? {} : await readEnvironmentFile(variables)) };
  const places = { flags: file === undefined ? given : { ...given, config: file }, env };
  const read = await readConfigFile(places);
  const references = referencedNames(read.content);
  const secrets = await secretsOf(read, references, env);
  const parsed = parseConfig({ ...places, file: read.content, filePath: read.path, secrets });
  return { ...parsed, file: read.content === undefined ? null : read.path, references };
}

/** Returns the secrets file, with its values only if one of the named secrets is not in the environment. */
export function secretsOf(
  { path }: ConfigFile,
  { secrets }: ReferencedNames,
  env: ConfigPlaces["env"],
): Promise<SecretsFile> | SecretsFile {
  const file = secretsPath(path, env["PALIMPSEST_SECRETS"]);
  const isNeeded = [...secrets].some((name) => !Object.hasOwn(env, name) || !env[name]);
  return isNeeded ? readSecretsFile(file) : { path: file, values: undefined };
}
