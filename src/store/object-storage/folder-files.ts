// Keeps objects as files of a folder.
// Invariant: a file has its whole object from the moment it exists, also if the process or the machine ends meanwhile.
import { valueOn } from "../../base/thrown-values.ts";
import { randomUUID } from "node:crypto";
import { access, mkdir, readdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { appendAll } from "../../base/lists.ts";
import { moveInto } from "../../base/replace-file.ts";
import type { ObjectFiles } from "./object-files.ts";

export function createFolderFiles(folder: string): ObjectFiles {
  const fileOf = (path: string): string => join(folder, path);
  return {
    has: (path) => access(fileOf(path)).then(() => true, valueOn("ENOENT", false)),
    read: (path) => readFile(fileOf(path)).catch(valueOn("ENOENT", null)),
    async write(path, bytes) {
      const target = fileOf(path);
      await mkdir(dirname(target), { recursive: true });
      // Two writers of one object have a draft each.
      await moveInto(target, { draft: `${target}.${randomUUID()}`, content: bytes });
    },
    remove: (path) => rm(fileOf(path), { force: true }),
    list: () => pathsIn(folder),
  };
}

/** Returns the paths of all files in a folder and its subfolders, with `/`. */
async function pathsIn(folder: string): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(valueOn("ENOENT", []))) {
    if (entry.isFile()) paths.push(entry.name);
    if (!entry.isDirectory()) continue;
    const below = await pathsIn(join(folder, entry.name));
    appendAll(
      paths,
      below.map((path) => `${entry.name}/${path}`),
    );
  }
  return paths;
}
