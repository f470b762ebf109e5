// The file with the sign-in to one MCP server: what its tokens are, and what renews them.
// Invariant: only the owner of the process can read it, it is replaced as a whole, and one process at a time renews its tokens.
import { createHash } from "node:crypto";
import { open, readdir, readFile, rm, stat } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type {
  AuthorizationServerMetadata,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import type { Clock } from "../../../base/clock.ts";
import { makeFolder, replaceFile } from "../../../base/replace-file.ts";
import { reasonOf, systemErrorCode } from "../../../base/thrown-values.ts";
import { ToolError } from "../../../base/errors.ts";
import { bounds } from "../bounds.ts";

export interface StoredSignIn {
  /** Of the MCP server. */
  readonly url: string;
  readonly authorizationServer: string;
  /** Undefined for a server of 2025 that describes itself nowhere. */
  readonly metadata?: AuthorizationServerMetadata | undefined;
  /** What the tokens are for, as the server calls itself. */
  readonly resource?: string | undefined;
  /** As the authorization server knows this program. Undefined if the configuration says that, with its secret. */
  readonly client?: StoredOAuthClientInformation | undefined;
  readonly tokens: StoredOAuthTokens;
  /** The scopes of the tokens with those that a call needed in vain. */
  readonly wantedScope?: string | undefined;
}

export interface SignInKey {
  readonly folder: string;
  /** Of the MCP server, as its URL. */
  readonly name: string;
  readonly url: string;
}

export interface SignInFile {
  /** Null if there is none. */
  read(): Promise<StoredSignIn | null>;
  write(signIn: StoredSignIn): Promise<void>;
  /** Returns whether there was one. */
  remove(): Promise<boolean>;
  /** Runs the function while no other process, and nothing else in this one, runs one for the same file. */
  locked<Result>(run: () => Promise<Result>): Promise<Result>;
}

/** The file is bound to the name and to the URL: a server at another place gets no tokens of this one. */
export function signInFile({ folder, name, url }: SignInKey, clock: Clock): SignInFile {
  const hash = createHash("sha256").update(url).digest("hex").slice(0, 16);
  const file = path.join(folder, `${name}-${hash}.json`);
  const lock = `${file}.lock`;
  return {
    read: () => readSignIn(file),
    write: (signIn) => replace(file, `${JSON.stringify(signIn, null, 2)}\n`),
    remove: () => removeFile(file),
    async locked(run) {
      await takeLock(lock, clock);
      try {
        return await run();
      } finally {
        await rm(lock, { force: true });
      }
    },
  };
}

/** Removes the sign-ins to a server, also those at its former URLs. Returns whether there was one. */
export async function removeSignIns(folder: string, name: string): Promise<boolean> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (systemErrorCode(error) === "ENOENT") return [];
    throw error;
  });
  const own = names.filter(
    (one) => one.startsWith(`${name}-`) && /^[0-9a-f]{16}\.json$/u.test(one.slice(name.length + 1)),
  );
  const removed = await Promise.all(own.map((one) => removeFile(path.join(folder, one))));
  return removed.includes(true);
}

async function readSignIn(file: string): Promise<StoredSignIn | null> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (cause) {
    if (systemErrorCode(cause) === "ENOENT") return null;
    throw new ToolError(`${file} cannot be read: ${reasonOf(cause)}`, { cause });
  }
  const signIn = parsed(text);
  if (signIn === null) throw new ToolError(`${file} is damaged: remove it, and sign in again`);
  return signIn;
}

function parsed(text: string): StoredSignIn | null {
  try {
    const value = JSON.parse(text) as Partial<StoredSignIn> | null;
    return typeof value?.tokens?.access_token === "string" ? (value as StoredSignIn) : null;
  } catch {
    // The message of the parser would show a part of the file.
    return null;
  }
}

async function replace(file: string, text: string): Promise<void> {
  try {
    await replaceFile(file, text);
  } catch (cause) {
    throw new ToolError(`${file} cannot be written: ${reasonOf(cause)}`, { cause });
  }
}

async function removeFile(file: string): Promise<boolean> {
  try {
    await rm(file);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return false;
    throw error;
  }
}

/** A lock that is older than any renewal takes was left behind by a process that was killed. */
async function takeLock(lock: string, clock: Clock): Promise<void> {
  await makeFolder(path.dirname(lock));
  for (;;) {
    try {
      await (await open(lock, "wx", 0o600)).close();
      return;
    } catch (error) {
      if (systemErrorCode(error) !== "EEXIST") throw error;
    }
    const since = await stat(lock).catch(() => null);
    if (since !== null && clock.now().getTime() - since.mtimeMs > bounds.lockMs) await rm(lock, { force: true });
    else await delay(20);
  }
}
