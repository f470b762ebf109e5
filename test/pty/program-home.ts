// A new home folder with the built program as `bin/palimpsest`.
// Invariant: its path has a constant length, because it is shown and affects where rows break.
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import path from "node:path";
import { packageRoot } from "../../src/base/package-root.ts";

export async function createProgramHome(): Promise<string> {
  const home = await mkdtemp("/tmp/pty-");
  const bin = path.join(home, "bin");
  await mkdir(bin);
  // Links: to the program, as a global installation has, and to the Node of this test.
  await symlink(path.join(packageRoot(), "dist", "program", "palimpsest.js"), path.join(bin, "palimpsest"));
  await symlink(process.execPath, path.join(bin, "node"));
  return home;
}

/** Tries again while a process that was stopped still writes there. */
export async function removeProgramHome(home: string): Promise<void> {
  await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
