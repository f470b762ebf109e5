// Loads the texts that ship with the package for the persona and human modules.
// Invariant: a starter's name is its file's name; the files contain only prose.
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { packageRoot } from "../../base/package-root.ts";
import type { Starter } from "../runtime.ts";

/** Returns the starters sorted by name. */
export async function loadStarters(kind: "persona" | "human"): Promise<readonly Starter[]> {
  const folder = path.join(packageRoot(), "personas", kind);
  const files = (await readdir(folder)).filter((file) => file.endsWith(".md")).sort();
  return Promise.all(
    files.map(async (file) => ({
      name: path.basename(file, ".md"),
      text: (await readFile(path.join(folder, file), "utf8")).trim(),
    })),
  );
}
