// Folders for tests, among the temporary files.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { useScene } from "./use-scene.ts";

const make = (): string => mkdtempSync(path.join(tmpdir(), "palimpsest-test-"));
// Tries again while a process that was stopped still writes there.
const remove = (folder: string): void =>
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });

/** Returns a new folder, which is removed after the tests of the file, or of the group. */
export function useFolder(): string {
  const folder = make();
  useScene(async () => ({ close: () => remove(folder) }));
  return folder;
}

/** Makes a folder before each test, and removes it afterwards. Returns a function that returns the folder of the running test. */
export function useFolderOfTest(): () => string {
  let folder = "";
  beforeEach(() => (folder = make()));
  afterEach(() => remove(folder));
  return () => folder;
}
