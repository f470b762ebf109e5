// Locates the server's entry files, which always run from dist/, since Node 20 cannot run TypeScript.
import { existsSync } from "node:fs";
import path from "node:path";
import { packageRoot } from "../../base/package-root.ts";
import { StoreError } from "../../base/errors.ts";

/** Returns the built file of a program in this folder. Throws StoreError if the package was not built. */
export function serverEntry(name: "serve-process" | "serve-worker"): string {
  const file = path.join(packageRoot(), "dist", "engine", `${name}.js`);
  if (!existsSync(file)) throw new StoreError("store_failed", `Expected ${file} to exist. Install the package again.`);
  return file;
}
