// Reads and writes the folder of a checkout: its state, its lock and its files.
// Invariant: nothing outside the folder is read or written, so no symbolic link is followed; a file is replaced as a whole, and
// only if its content is the expected one.
import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import {
  copyFile,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  unlink,
  writeFile,
} from "node:fs/promises";
import path from "node:path";
import { isObject, parseJson } from "../../../base/json-values.ts";
import { ConfigError } from "../../../base/errors.ts";
import { processWord } from "../../../base/lock-holder.ts";
import { reasonOf, systemErrorCode } from "../../../base/thrown-values.ts";
import { conflictEnding, indexName, stateFolder } from "./disk-names.ts";
import { hashOf } from "./file-texts.ts";

/** A file as it was when memory and folder were last compared. */
export interface KnownFile {
  readonly name: string;
  readonly version: string | null;
  /** The hash of the file's content. A file with another hash was edited. */
  readonly hash: string;
}

export interface CheckoutState {
  readonly agent: { readonly id: string; readonly name: string };
  /** The files as they were when folder and memory were last compared, by path in memory. */
  readonly files: Readonly<Record<string, KnownFile>>;
  /** The files that the last command began to write, by path. If a file has the hash recorded here, it was written. */
  readonly pending: Readonly<Record<string, KnownFile>>;
  /** The hashes that an unedited MEMORY.md can have: one per text that a command began to write; "" for no file. */
  readonly index: readonly string[];
  readonly recorded: Recorded;
  /** Set while commits are added. If the branch `memory` has moved on from `tip`, its history contains `recorded`. */
  readonly recording?: { readonly tip: string; readonly recorded: Recorded };
}

/** The changes of memory that the git history contains. */
export interface Recorded {
  /** The time of the newest change, in ISO 8601; null if there are no changes. */
  readonly until: string | null;
  /** Ids of the changes in the 10 s before `until`. The next run reads these again, to find changes stored late. */
  readonly ids: readonly string[];
  /** The version of each file, by path. */
  readonly versions: Readonly<Record<string, string>>;
}

const stateFile = (folder: string): string => path.join(folder, stateFolder, "state.json");

/** Returns the state of the checkout in a folder; null if the folder is not a checkout. */
export async function readState(folder: string): Promise<CheckoutState | null> {
  let text: string;
  try {
    text = await readFile(stateFile(folder), "utf8");
  } catch (cause) {
    if (["ENOENT", "ENOTDIR"].includes(systemErrorCode(cause) ?? "")) return null;
    throw unusable(folder, cause);
  }
  const state = parseJson(text);
  if (isObject(state) && ["files", "agent", "recorded"].every((name) => isObject(state[name])))
    return state as unknown as CheckoutState;
  throw new ConfigError(
    `${stateFile(folder)} is damaged. Check memory out into another folder, and copy your edits there.`,
  );
}

/** Writes the state without fsync: if a power cut damages it, the edited files can be copied into a new checkout. */
export async function writeState(folder: string, state: CheckoutState): Promise<void> {
  const draft = `${stateFile(folder)}.new`;
  try {
    await writeFile(draft, `${JSON.stringify(state)}\n`, { mode: 0o600 });
    await rename(draft, stateFile(folder));
  } catch (cause) {
    throw unusable(folder, cause);
  }
}

/** Runs `use` while no other process works in the folder. Throws ConfigError if one does. */
export async function withLock<Result>(folder: string, use: () => Promise<Result>): Promise<Result> {
  const lock = path.join(folder, stateFolder, "lock");
  const holder = `${processWord(process.pid)}-${randomUUID()}`;
  await acquire(lock, holder, folder);
  try {
    return await use();
  } finally {
    await rm(path.join(lock, holder), { recursive: true, force: true });
    // Fails if another process has taken the lock meanwhile, because the lock's folder is then not empty.
    await rmdir(lock).catch(() => undefined);
  }
}

/**
 * The lock is a folder that contains one folder, named after the process that holds the lock. Renaming a draft to
 * the lock fails while the lock is held. If the holder was killed, only one process can rename the holder's folder.
 */
async function acquire(lock: string, holder: string, folder: string): Promise<void> {
  const draft = `${lock}.${holder}`;
  const [other] = await readdir(lock).catch(() => []);
  const pid = Number.parseInt(other ?? "", 10);
  try {
    if (other === undefined) {
      await mkdir(path.join(draft, holder), { recursive: true });
      await rename(draft, lock);
      return;
    }
    if (!other.startsWith(`${processWord(pid)}-`)) {
      await rename(path.join(lock, other), path.join(lock, holder));
      return;
    }
  } catch (cause) {
    if (!["EEXIST", "ENOTEMPTY", "ENOENT"].includes(systemErrorCode(cause) ?? "")) throw unusable(folder, cause);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  const known = other === undefined ? "" : ` (${pid})`;
  throw new ConfigError(
    `Another process${known} works in ${folder}. Run the command again when it has ended. Its lock is the folder ${lock}.`,
  );
}

/** Maximum bytes of a file. A larger file is not a text of memory: a passage has at most 1,000,000 characters. */
const maxBytes = 4_100_000;

export interface Scan {
  /** The content of each file, by name. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** Why a file cannot be read, by name. */
  readonly problems: ReadonlyMap<string, string>;
  /** Names of files that have a file with memory's text, NAME.conflict, beside them. */
  readonly conflicts: ReadonlySet<string>;
}

/** Reads the files of the folder, except hidden files and the index MEMORY.md, which do not belong to memory. */
export async function scan(folder: string): Promise<Scan> {
  const found = { files: new Map<string, Buffer>(), problems: new Map<string, string>(), conflicts: new Set<string>() };
  await scanInto(found, folder, "");
  return found;
}

interface Found {
  readonly files: Map<string, Buffer>;
  readonly problems: Map<string, string>;
  readonly conflicts: Set<string>;
}

async function scanInto(found: Found, folder: string, below: string): Promise<void> {
  const entries = await readdir(path.join(folder, below), { withFileTypes: true }).catch((cause: unknown) => {
    throw unusable(path.join(folder, below), cause);
  });
  for (const entry of entries) {
    const name = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.name.startsWith(".") || name === indexName) continue;
    if (entry.isDirectory()) await scanInto(found, folder, name);
    else if (name.endsWith(conflictEnding)) found.conflicts.add(name.slice(0, -conflictEnding.length));
    else if (entry.isFile()) await readInto(found, folder, name);
    else found.problems.set(name, "it is not a regular file");
  }
}

async function readInto({ files, problems }: Found, folder: string, name: string): Promise<void> {
  const file = path.join(folder, name);
  try {
    if ((await lstat(file)).size > maxBytes) problems.set(name, "it is larger than a text of memory can be");
    else files.set(name, await readFile(file));
  } catch (cause) {
    if (systemErrorCode(cause) !== "ENOENT") problems.set(name, `it cannot be read: ${reasonOf(cause)}`);
  }
}

/**
 * Writes a file, or removes it if `content` is null. Returns false and changes nothing if the file's content has
 * another hash than `expected`; if `expected` is null, the file must not exist.
 */
export async function changeFile(
  folder: string,
  name: string,
  { expected, content }: { readonly expected: string | null; readonly content: string | null },
): Promise<boolean> {
  const file = path.join(folder, name);
  if (!(await isPlain(folder, name))) return false;
  if (expected === null) return content === null || put(file, content, linkNew);
  const current = await readFile(file).catch((cause: unknown) => {
    if (systemErrorCode(cause) === "ENOENT") return null;
    throw unusable(file, cause);
  });
  if (current === null || hashOf(current) !== expected) return false;
  if (content !== null) return put(file, content, rename);
  await rm(file, { force: true });
  return true;
}

type Move = (draft: string, file: string) => Promise<void>;

/**
 * Writes the content to a hidden draft beside the file, then moves it to the file's name, so that a killed process
 * leaves no incomplete file. Returns false if another file or folder has the name of the draft or of the file.
 */
async function put(file: string, content: string, move: Move): Promise<boolean> {
  const draft = path.join(path.dirname(file), `.${path.basename(file)}.new`);
  const write = () => writeFile(draft, content, { flag: "wx", mode: 0o600 });
  const discard = () => unlink(draft).catch(() => undefined);
  try {
    // A killed process may have left the draft, possibly as a hard link to the file.
    await discard();
    await write().catch(async (cause: unknown) => {
      if (systemErrorCode(cause) !== "ENOENT") throw cause;
      await mkdir(path.dirname(file), { recursive: true });
      await write();
    });
    await move(draft, file);
    return true;
  } catch (cause) {
    if (systemErrorCode(cause) === "EEXIST") return false;
    throw unusable(file, cause);
  } finally {
    await discard();
  }
}

/** Links the draft to the name of the new file. Fails with EEXIST if a file has this name. */
async function linkNew(draft: string, file: string): Promise<void> {
  await link(draft, file).catch(async (cause: unknown) => {
    if (systemErrorCode(cause) === "EEXIST") throw cause;
    // Disks such as exFAT have no hard links.
    await copyFile(draft, file, constants.COPYFILE_EXCL);
  });
}

/** Whether the existing parts of the path are folders, and the last one a file; false if any is a symbolic link. */
async function isPlain(folder: string, name: string): Promise<boolean> {
  const parts = name.split("/");
  for (const at of parts.keys()) {
    const found = await lstat(path.join(folder, parts.slice(0, at + 1).join("/"))).catch(() => null);
    if (found === null) return true;
    if (found.isSymbolicLink() || found.isDirectory() !== at < parts.length - 1) return false;
  }
  return true;
}

function unusable(file: string, cause: unknown): ConfigError {
  return new ConfigError(`${file} cannot be used: ${reasonOf(cause)}. Name a folder that you may write to.`, { cause });
}
