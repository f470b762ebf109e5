// Which names of models are those of files, and which file each is.
// Invariant: pure; a file has one name, `gguf/` and its absolute path, however it was written.
import { join, resolve } from "node:path";
import { providerIdOf } from "../config/settings/key-settings.ts";

/** Where a relative path begins, and what `~` stands for. */
export interface Folders {
  readonly workingFolder: string;
  readonly home: string;
}

/** The absolute path of `FILE.gguf` or `gguf/FILE.gguf`; null for every other name. Names of other providers come first. */
export function ggufPathOf(name: string, { workingFolder, home }: Folders): string | null {
  if (providerIdOf(name) !== null || !/\.(?:gguf|GGUF)$/u.test(name)) return null;
  const path = name.startsWith("gguf/") ? name.slice("gguf/".length) : name;
  return path.startsWith("~/") ? join(home, path.slice(2)) : resolve(workingFolder, path);
}
