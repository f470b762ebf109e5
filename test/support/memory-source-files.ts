// Files of sources, kept in memory: the store's port without a database, for tests of loading.
import type { LoadedFile, SourceFileRecord, SourceFileStore } from "../../src/store/port/source-store.ts";

export interface MemorySourceFiles extends SourceFileStore {
  /** What was written, in order: `loaded /a.txt`. */
  readonly writes: readonly string[];
  passagesOf(path: string): LoadedFile["passages"];
}

/** Every source has the same files. */
export function createMemorySourceFiles(): MemorySourceFiles {
  const records = new Map<string, SourceFileRecord>();
  const passages = new Map<string, LoadedFile["passages"]>();
  const writes: string[] = [];
  return {
    writes,
    passagesOf: (path) => passages.get(path) ?? [],
    list: async () => [...records.values()],
    async replace(_, { passages: added, ...file }) {
      writes.push(`loaded ${file.path}`);
      records.set(file.path, { ...file, passages: added.length, status: "loaded", reason: null });
      passages.set(file.path, added);
      return added.length;
    },
    async fail(_, file) {
      writes.push(`failed ${file.path}`);
      const kept = passages.get(file.path)?.length ?? 0;
      records.set(file.path, { ...file, passages: kept, status: "failed" });
    },
    async remove(_, paths) {
      writes.push(...paths.map((path) => `removed ${path}`));
      for (const path of paths) records.delete(path);
      for (const path of paths) passages.delete(path);
      return paths.length;
    },
  };
}
