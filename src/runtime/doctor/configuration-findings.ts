// Checks the permissions of the configuration file and of the secrets file.
// Invariant: pure; no finding contains the value of a setting.
import type { ConfigurationFacts, FileMetadata } from "../../config/settings/configuration-facts.ts";
import type { Finding } from "./contract.ts";
import { ok, warning } from "./finding.ts";

export function configurationFindings({ file, plainKeys, secrets }: ConfigurationFacts): readonly Finding[] {
  if (file === null) {
    return [ok("configuration", "There is no configuration file: flags, environment variables and defaults apply.")];
  }
  return [configurationFinding(file, plainKeys), ...(secrets === null ? [] : [secretsFinding(secrets)])];
}

function configurationFinding({ path, mode }: FileMetadata, plainKeys: readonly string[]): Finding {
  const shown = modeText(mode);
  if (mode !== null && (mode & 0o077) !== 0 && plainKeys.length > 0) {
    const found = `Others may read ${path}${shown}, and it contains secrets: ${plainKeys.join(", ")}.`;
    return warning("configuration", found, `Run chmod 600 ${path}.`);
  }
  if (mode !== null && (mode & 0o022) !== 0) {
    const found = `Others may change ${path}${shown}: they could send your conversations elsewhere.`;
    return warning("configuration", found, `Run chmod go-w ${path}.`);
  }
  return ok("configuration", `${path} can be read${shown}.`);
}

function secretsFinding({ path, mode }: FileMetadata): Finding {
  const shown = modeText(mode);
  if (mode === null || (mode & 0o077) === 0) return ok("secrets", `Only its owner may read ${path}${shown}.`);
  return warning(
    "secrets",
    `Others may read ${path}${shown}.`,
    `Run chmod 600 ${path}: until then, Palimpsest does not read keys from it.`,
  );
}

function modeText(mode: number | null): string {
  return mode === null ? "" : ` (${mode.toString(8).padStart(3, "0")})`;
}
