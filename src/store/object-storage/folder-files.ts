// Keeps objects as files of a folder.
// Invariant: a file has its whole object from the moment it exists, also if the process or the machine ends meanwhile.
import { valueOn } from "../../base/thrown-values.ts";
import { randomUUID } from "node:crypto";
import { access, mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { appendAll } from "../../base/lists.ts";
import type { ObjectFiles } from "./object-files.ts";

export function createFolderFiles(folder: string): ObjectFiles {
  const fileOf = (path: string): string => join(folder, path);
  return {
    has: (path) => access(fileOf(path)).then(() => true, valueOn("ENOENT", false)),
    read: (path) => readFile(fileOf(path)).catch(valueOn("ENOENT", null)),
    async write(path, bytes) {
      const part = `${fileOf(path)}.${randomUUID()}`;
      await mkdir(dirname(part), { recursive: true });
      try {
        const file = await open(part, "wx");
        try {
          await file.writeFile(bytes);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(part, fileOf(path));
      } catch (error) {
        await rm(part, { force: true });
        throw error;
      }
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
