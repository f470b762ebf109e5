// Resolves the names of models that are files.
// Invariant: pure; a file has one name, `gguf/` and its absolute path, in whatever form the caller wrote it.
import { join, resolve } from "node:path";
import { providerIdOf } from "../../config/settings/key-settings.ts";

/** The folders against which a relative path and `~` are resolved. */
export interface Folders {
  readonly workingFolder: string;
  readonly home: string;
}

/**
 * Returns the absolute path of `FILE.gguf` or `gguf/FILE.gguf`; null for any other name. Names of other providers have
 * precedence.
 */
export function ggufPathOf(name: string, { workingFolder, home }: Folders): string | null {
  if (providerIdOf(name) !== null || !/\.(?:gguf|GGUF)$/u.test(name)) return null;
  const path = name.startsWith("gguf/") ? name.slice("gguf/".length) : name;
  return path.startsWith("~/") ? join(home, path.slice(2)) : resolve(workingFolder, path);
}
