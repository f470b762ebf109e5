// Reads the version of Palimpsest from its package.json.
import { readFileSync } from "node:fs";
import path from "node:path";
import { packageRoot } from "../../base/package-root.ts";

/** Returns the version. Reads the file at each call. */
export function packageVersion(): string {
  const content: unknown = JSON.parse(readFileSync(path.join(packageRoot(), "package.json"), "utf8"));
  const version = typeof content === "object" && content !== null && "version" in content ? content.version : undefined;
  return typeof version === "string" ? version : "unknown";
}
