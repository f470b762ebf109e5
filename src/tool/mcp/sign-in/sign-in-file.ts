// Stores the sign-in to one MCP server in a file: the tokens, and the data to renew them.
// Invariant: only the owner of the process can read the file, it is replaced atomically, and one process at a time renews its
// tokens.
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
import { parseJson } from "../../../base/json-values.ts";
import { makeFolder, replaceFile } from "../../../base/replace-file.ts";
import { reasonOf, systemErrorCode, valueOn } from "../../../base/thrown-values.ts";
import { ToolError } from "../../../base/errors.ts";
import { bounds } from "../bounds.ts";

export interface StoredSignIn {
  readonly url: string;
  readonly authorizationServer: string;
  /** The authorization server's metadata; undefined if it publishes none, which MCP allowed in 2025. */
  readonly metadata?: AuthorizationServerMetadata | undefined;
  /** The resource for which the tokens are valid, as the MCP server's metadata names it. */
  readonly resource?: string | undefined;
  /** Palimpsest's registration at the authorization server; undefined if the configuration contains a client. */
  readonly client?: StoredOAuthClientInformation | undefined;
  readonly tokens: StoredOAuthTokens;
  /** The scopes that the next sign-in requests: those of the tokens, and those that the server has demanded since. */
  readonly wantedScope?: string | undefined;
}

export interface SignInKey {
  readonly folder: string;
  /** The name of the MCP server; `url` is its address. */
  readonly name: string;
  readonly url: string;
}

export interface SignInFile {
  /** Returns the stored sign-in; null if there is none. */
  read(): Promise<StoredSignIn | null>;
  write(signIn: StoredSignIn): Promise<void>;
  /** Runs the function under the file's lock, which excludes other processes and other calls in this process. */
  locked<Result>(run: () => Promise<Result>): Promise<Result>;
}

/** Returns the file of a server, bound to its name and URL: a server with another URL does not get the tokens. */
export function signInFile({ folder, name, url }: SignInKey, clock: Clock): SignInFile {
  const hash = createHash("sha256").update(url).digest("hex").slice(0, 16);
  const file = path.join(folder, `${name}-${hash}.json`);
  return {
    read: () => readSignIn(file),
    write: (signIn) => replace(file, `${JSON.stringify(signIn, null, 2)}\n`),
    locked: (run) => underLock(file, clock, run),
  };
}

async function underLock<Result>(file: string, clock: Clock, run: () => Promise<Result>): Promise<Result> {
  const lock = `${file}.lock`;
  await takeLock(lock, clock);
  try {
    return await run();
  } finally {
    await rm(lock, { force: true });
  }
}

/**
 * Removes the sign-ins to a server, also those at its former URLs. Waits for a running renewal of tokens. Returns whether a
 * sign-in was removed.
 */
export async function removeSignIns(folder: string, name: string, clock: Clock): Promise<boolean> {
  const names = await readdir(folder).catch(valueOn("ENOENT", []));
  const own = names.filter(
    (one) => one.startsWith(`${name}-`) && /^[0-9a-f]{16}\.json$/u.test(one.slice(name.length + 1)),
  );
  const files = own.map((one) => path.join(folder, one));
  const removed = await Promise.all(
    files.map((file) => underLock(file, clock, () => rm(file).then(() => true, valueOn("ENOENT", false)))),
  );
  return removed.includes(true);
}

async function readSignIn(file: string): Promise<StoredSignIn | null> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (cause) {
    if (systemErrorCode(cause) === "ENOENT") return null;
    throw new ToolError(`${file} cannot be read (${reasonOf(cause)})`, { cause });
  }
  const signIn = parsed(text);
  if (signIn === null) throw new ToolError(`${file} is damaged. Remove the file, and sign in again`);
  return signIn;
}

/** Returns the sign-in in the text of a file; null if it is invalid, without the parser's error, which quotes the file. */
function parsed(text: string): StoredSignIn | null {
  const value = parseJson(text) as Partial<StoredSignIn> | null | undefined;
  return typeof value?.tokens?.access_token === "string" ? (value as StoredSignIn) : null;
}

async function replace(file: string, text: string): Promise<void> {
  try {
    await replaceFile(file, text);
  } catch (cause) {
    throw new ToolError(`${file} cannot be written (${reasonOf(cause)})`, { cause });
  }
}

/** Waits for the lock and takes it. Removes a lock that is older than `lockMs`, because its process was killed. */
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
