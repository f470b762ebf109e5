// Where the server's programs are. They are always run from dist/, since Node 20 cannot run TypeScript.
import { existsSync } from "node:fs";
import path from "node:path";
import { packageRoot } from "../../base/package-root.ts";
import { StoreError } from "../../errors.ts";

/** The built file of a program of this folder. Throws StoreError when the package was not built. */
export function serverEntry(name: "serve-process" | "serve-worker"): string {
  const file = path.join(packageRoot(), "dist", "src", "store", "embedded", `${name}.js`);
  if (!existsSync(file))
    throw new StoreError("store_failed", `Expected ${file}, which is not there. Run "npm run build".`);
  return file;
}
