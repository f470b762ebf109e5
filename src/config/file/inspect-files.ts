// Collects facts about the configuration file and its secrets file for the doctor.
// Invariant: of the content, only names of settings are returned.
import { stat } from "node:fs/promises";
import { systemErrorCode } from "../../base/system-error.ts";
import type { ConfigPlaces } from "../config.ts";
import type { ConfigurationFacts, FileMetadata } from "../configuration-facts.ts";
import { settings } from "../settings.ts";
import type { LoadedConfig } from "./load-config.ts";
import { secretsPath } from "./read-secrets-file.ts";

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

/** Returns null for a file that does not exist. */
async function factsOf(path: string): Promise<FileMetadata | null> {
  try {
    const { mode } = await stat(path);
    // Windows has no permission bits.
    return { path, mode: process.platform === "win32" ? null : mode & 0o777 };
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return null;
    throw error;
  }
}
