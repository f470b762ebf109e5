// Returns settings with which another program can start Palimpsest, and facts about the configuration's files for the doctor.
// Invariant: no flag contains a secret; paths are absolute, because the other program has another working folder; the doctor
// receives only names of settings from the files, not their values.
import { valueOn } from "../../base/thrown-values.ts";
import { stat } from "node:fs/promises";
import path from "node:path";
import { configPathOf, type ConfigPlaces } from "../config.ts";
import type { ConfigurationFacts, FileMetadata } from "../settings/configuration-facts.ts";
import { type Config, settings } from "../settings.ts";
import { loadConfig, type LoadedConfig } from "./load-config.ts";
import { secretsPath } from "./read-secrets-file.ts";

/** Returns the flags and environment variables that start Palimpsest with the same settings. Throws ConfigError. */
export async function launchSettings(places: ConfigPlaces, workingFolder: string) {
  const { flags, env } = places;
  const { config, found, references } = await loadConfig(places);
  const absolute = (file: string): string => path.resolve(workingFolder, file);
  const dataDir = absolute(config.dataDir);
  const configFile = configPathOf(places);
  const secretsFile = env["PALIMPSEST_SECRETS"];
  const given = Object.entries(flags).filter(([name]) => !["config", "data-dir", ...secretFlags.keys()].includes(name));
  return {
    dataDir,
    flags: {
      ...(configFile === undefined ? {} : { config: absolute(configFile) }),
      ...(["flag", "environment"].includes(found.get("dataDir")!.from.kind) ? { "data-dir": dataDir } : {}),
      ...withAbsoluteFolders(given, absolute),
    },
    /** Environment variables that Palimpsest needs and the other program may not have. They may contain secrets. */
    variables: {
      ...(secretsFile === undefined || secretsFile === "" ? {} : { PALIMPSEST_SECRETS: absolute(secretsFile) }),
      ...withAbsoluteFolders(variablesOf(env, [...references.variables, ...variableNames(found)]), absolute),
      ...secretsOfFlags(flags),
    },
  };
}

/** The flags whose value is a secret, each with the environment variable that can set it instead. */
const secretFlags: ReadonlyMap<string, string> = new Map(
  Object.values(settings).flatMap(({ flag, environment: [variable] = [], isSecret }): [string, string][] =>
    flag === undefined || variable === undefined || isSecret !== true ? [] : [[flag.name, variable]],
  ),
);

/** Returns the environment variables from which settings were read. The data folder is left out: it is passed as a flag. */
function variableNames(found: Awaited<ReturnType<typeof loadConfig>>["found"]): readonly string[] {
  return [...found].flatMap(([key, { from }]: [keyof Config, { from: { kind: string; name?: string } }]) =>
    key !== "dataDir" && from.kind === "environment" && from.name !== undefined ? [from.name] : [],
  );
}

function variablesOf(env: ConfigPlaces["env"], names: readonly string[]): readonly (readonly [string, string])[] {
  return names.flatMap((name) => (env[name] ? [[name, env[name]]] : []));
}

/** The flags and environment variables with the path of a folder, each with the text before the path. */
const textBeforeFolder: ReadonlyMap<string, string> = new Map(
  [
    { setting: settings.toolsFolder, before: "" },
    { setting: settings.objects, before: "folder:" },
  ].flatMap(({ setting: { flag, environment }, before }) =>
    [flag!.name, ...environment!].map((name): [string, string] => [name, before]),
  ),
);

function withAbsoluteFolders(
  given: readonly (readonly [name: string, text: string])[],
  absolute: (folder: string) => string,
): Readonly<Record<string, string>> {
  const absoluteText = (name: string, text: string): string => {
    const before = textBeforeFolder.get(name);
    if (before === undefined || !text.startsWith(before)) return text;
    const folder = text.slice(before.length);
    // `~` is the same folder for the other program.
    return folder.startsWith("~/") ? text : before + absolute(folder);
  };
  return Object.fromEntries(given.map(([name, text]) => [name, absoluteText(name, text)]));
}

function secretsOfFlags(flags: ConfigPlaces["flags"]): Readonly<Record<string, string>> {
  const given = [...secretFlags].filter(([flag]) => flags[flag] !== undefined);
  return Object.fromEntries(given.map(([flag, variable]) => [variable, flags[flag]!]));
}

export async function inspectFiles(
  { file, found }: LoadedConfig,
  env: ConfigPlaces["env"],
): Promise<ConfigurationFacts> {
  if (file === null) return { file: null, plainKeys: [], secrets: null };
  const inFile = [...found].filter(([key, { from, isSecret }]) => {
    return settings[key].isSecret === true && from.kind === "file" && !isSecret;
  });
  return {
    file: await factsOf(file),
    plainKeys: inFile.map(([key]) => key),
    secrets: await factsOf(secretsPath(file, env["PALIMPSEST_SECRETS"])),
  };
}

/** Returns a file's metadata; null if the file does not exist. */
async function factsOf(path: string): Promise<FileMetadata | null> {
  const found = await stat(path).catch(valueOn("ENOENT", null));
  // Windows has no permission bits.
  return found && { path, mode: process.platform === "win32" ? null : found.mode & 0o777 };
}
