// Locates the files that ship with the package (prompts, personas, migrations, the built program), whether it runs from
// the sources or from dist/.
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** Returns the absolute path of the folder with Palimpsest's own package.json. */
export function packageRoot(): string {
  let folder = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(folder, "package.json"))) {
    folder = path.dirname(folder);
  }
  return folder;
}
