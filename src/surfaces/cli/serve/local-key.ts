// The key of a server that only this machine can reach, in a file that only its owner can read.
// Invariant: an existing file with an invalid key is replaced, and the secret is never printed.
import { valueOn } from "../../../base/thrown-values.ts";
import { mkdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { HostKeys } from "../../../runtime/keys/contract.ts";
import { createTextFile } from "../new-file.ts";

export interface LocalKey {
  readonly file: string;
  readonly isNew: boolean;
}

/** Returns the file with a valid key of this user. Creates both if needed. Throws ConfigError if it cannot be written. */
export async function localKey(
  keys: Pick<HostKeys, "create" | "verify">,
  { dataDir, userId }: { readonly dataDir: string; readonly userId: string },
): Promise<LocalKey> {
  const file = join(dataDir, "server-key");
  const secret = await secretIn(file);
  const known = secret === null ? null : await keys.verify(secret);
  if (known?.userId === userId) return { file, isNew: false };
  const created = await keys.create(userId, { name: "local server", scope: "admin" });
  await mkdir(dirname(file), { recursive: true });
  await rm(file, { force: true });
  await createTextFile(file, `${created.secret}\n`);
  return { file, isNew: true };
}

async function secretIn(file: string): Promise<string | null> {
  return (await readFile(file, "utf8").catch(valueOn("ENOENT", null)))?.trim() ?? null;
}
