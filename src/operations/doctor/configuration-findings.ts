// The configuration file and the file of secrets, judged by who else may read or change them.
// Invariant: pure; no value of a setting is part of a finding.
import type { Finding } from "../../runtime/doctor.ts";
import { ok, warning } from "./finding.ts";

/** A file with its permission bits; null where the system has none. */
interface ExaminedFile {
  readonly path: string;
  readonly mode: number | null;
}

export interface ExaminedConfiguration {
  /** Null when there is no configuration file. */
  readonly file: ExaminedFile | null;
  /** Settings whose secret stands in the file itself. */
  readonly plainKeys: readonly string[];
  /** The file of secrets; null when there is none. */
  readonly secrets: ExaminedFile | null;
}

export function configurationFindings({ file, plainKeys, secrets }: ExaminedConfiguration): readonly Finding[] {
  if (file === null) {
    return [ok("configuration", "There is no configuration file: flags, the environment and the defaults hold.")];
  }
  return [configurationFinding(file, plainKeys), ...(secrets === null ? [] : [secretsFinding(secrets)])];
}

function configurationFinding({ path, mode }: ExaminedFile, plainKeys: readonly string[]): Finding {
  const shown = modeText(mode);
  if (mode !== null && (mode & 0o077) !== 0 && plainKeys.length > 0) {
    const found = `Others may read ${path}${shown}, and it has a secret in it: ${plainKeys.join(", ")}.`;
    return warning("configuration", found, `Run chmod 600 ${path}.`);
  }
  if (mode !== null && (mode & 0o022) !== 0) {
    const found = `Others may change ${path}${shown}: they could send your conversations elsewhere.`;
    return warning("configuration", found, `Run chmod go-w ${path}.`);
  }
  return ok("configuration", `${path} can be read${shown}.`);
}

function secretsFinding({ path, mode }: ExaminedFile): Finding {
  const shown = modeText(mode);
  if (mode === null || (mode & 0o077) === 0) return ok("secrets", `Only its owner may read ${path}${shown}.`);
  return warning(
    "secrets",
    `Others may read ${path}${shown}.`,
    `Run chmod 600 ${path}: the program does not take keys from it before.`,
  );
}

function modeText(mode: number | null): string {
  return mode === null ? "" : ` (${mode.toString(8).padStart(3, "0")})`;
}
