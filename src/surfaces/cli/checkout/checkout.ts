// Checks memory out into a folder, and commits the edits in the folder to memory.
// Invariant: a text in the folder or in memory is overwritten only by a text that was edited from it. Each step can be
// interrupted: the next run compares texts, not only versions, and so finds what was written. A run reads only those
// changes in memory's history that were made since the last run.
import { mkdir, readdir } from "node:fs/promises";
import { ConfigError, RevisionConflictError, RuntimeError } from "../../../base/errors.ts";
import { reasonOf } from "../../../base/thrown-values.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { type Compared, compare, contentInFolder, type Difference } from "./compare.ts";
import { conflictEnding, indexName, stateFolder } from "./disk-names.ts";
import { hashOf, indexOf } from "./file-texts.ts";
import { changeFile, type CheckoutState, type KnownFile, readState, scan, withLock, writeState } from "./folder.ts";
import { createRepository } from "./git-history.ts";
import { recordChanges } from "./record-changes.ts";
import type { MemoryFile } from "../runtime-records.ts";

type Files = Runtime["memoryFiles"];

export interface Refusal {
  readonly name: string;
  readonly problem: string;
}

export interface CheckoutReport {
  /** Names of files that were written to memory. */
  readonly committed: readonly string[];
  /** Names of files that were changed or removed in the folder, because memory had changed. */
  readonly updated: readonly string[];
  /** Names of files that were changed in the folder and in memory. Beside each file, another file has memory's text. */
  readonly conflicts: readonly string[];
  /** Names of files that were removed from the folder, and are still in memory. */
  readonly removed: readonly string[];
  /** Files that could not be written to memory or to the folder, each with the reason. */
  readonly refused: readonly Refusal[];
}

/** Checks memory out. If `folder` is a checkout already, updates the files that were not edited. Throws ConfigError. */
export async function checkOut(
  memoryFiles: Files,
  folder: string,
  agent: CheckoutState["agent"],
): Promise<CheckoutReport> {
  const state = await readState(folder);
  if (state === null) await createFolder(folder);
  else if (state.agent.id !== agent.id)
    throw new ConfigError(`${folder} is a checkout of the agent "${state.agent.name}". Choose another folder.`);
  return withLock(folder, async () => {
    const recorded = { until: null, ids: [], versions: {} };
    const begun = state ?? { agent, files: {}, pending: {}, index: [""], recorded };
    if (state === null) {
      await createRepository(folder);
      // The state is written first, so that the next checkout continues if this process is killed.
      await writeState(folder, begun);
    }
    return update(memoryFiles, folder, begun, { committed: [], sides: await readSides(memoryFiles, folder, begun) });
  });
}

async function createFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    if ((await readdir(folder)).every((name) => name === stateFolder || name === ".git")) return;
  } catch (cause) {
    throw new ConfigError(`${folder} cannot be used: ${reasonOf(cause)}. Choose another folder.`, { cause });
  }
  throw new ConfigError(`${folder} is not empty. Choose a new folder.`);
}

/** Returns the state of the checkout in the folder. Throws ConfigError if the folder is not a checkout. */
export async function requireState(folder: string): Promise<CheckoutState> {
  const state = await readState(folder);
  if (state !== null) return state;
  throw new ConfigError(`${folder} is not a checkout of memory. \`palimpsest memory checkout DIR\` makes one.`);
}

export async function status(memoryFiles: Files, folder: string): Promise<readonly Difference[]> {
  return (await readSides(memoryFiles, folder, await requireState(folder))).compared.differences;
}

interface Sides {
  readonly files: readonly MemoryFile[];
  readonly compared: Compared;
}

async function readSides(memoryFiles: Files, folder: string, state: CheckoutState): Promise<Sides> {
  const files = await memoryFiles.list(state.agent.id);
  return { files, compared: compare(state, await scan(folder), files) };
}

/** Writes the folder's edits to memory, then updates the folder. `deletes`: also deletes files that the user removed. */
export async function commit(
  memoryFiles: Files,
  folder: string,
  { deletes }: { readonly deletes: boolean },
): Promise<CheckoutReport> {
  await requireState(folder);
  return withLock(folder, async () => {
    const state = await requireState(folder);
    const before = await readSides(memoryFiles, folder, state);
    const known = new Map(before.compared.known);
    const committed: string[] = [];
    const refused: Refusal[] = [];
    const outgoing = before.compared.differences.filter((difference) => isOutgoing(difference, deletes));
    for (const difference of outgoing) {
      const end = await commitFile(memoryFiles, state.agent.id, difference);
      if (end === "overtaken") continue;
      if ("problem" in end) refused.push(end);
      else {
        committed.push(difference.name);
        await adopt(folder, known, difference, end.written);
      }
    }
    const next = { ...state, files: Object.fromEntries(known), pending: {} };
    const sides = outgoing.length === 0 ? before : await readSides(memoryFiles, folder, next);
    const report = await update(memoryFiles, folder, next, { committed, sides });
    return { ...report, refused: [...report.refused, ...refused] };
  });
}

function isOutgoing({ kind }: Difference, deletes: boolean): boolean {
  return kind === "edited" || kind === "added" || (kind === "removed" && deletes);
}

type Written = Awaited<ReturnType<Files["write"]>>;

async function commitFile(
  memoryFiles: Files,
  agentId: string,
  { path, name, mine, known }: Difference,
): Promise<{ readonly written: Written } | Refusal | "overtaken"> {
  try {
    return { written: await memoryFiles.write(agentId, path, { text: mine, version: known?.version ?? null }) };
  } catch (error) {
    if (error instanceof RevisionConflictError) return "overtaken";
    if (!(error instanceof RuntimeError)) throw error;
    return { name, problem: error.message };
  }
}

/** Records the written file in `known`. If memory chose another path, removes the file: `update` writes it there. */
async function adopt(
  folder: string,
  known: Map<string, KnownFile>,
  { path, name, hash }: Difference,
  written: Written,
): Promise<void> {
  known.delete(path);
  if (written.path === path && hash !== null) known.set(path, { name, version: written.version, hash });
  else if (hash !== null) await changeFile(folder, name, { expected: hash, content: null });
}

const parallelWrites = 32;

/** Overwrites each file that the user has not edited with its text in memory, and commits the changes of memory to git. */
async function update(
  memoryFiles: Files,
  folder: string,
  state: CheckoutState,
  { committed, sides: { files, compared } }: Pick<CheckoutReport, "committed"> & { readonly sides: Sides },
): Promise<CheckoutReport> {
  const { names, differences } = compared;
  const known = new Map(compared.known);
  const handled: Handled[] = [];
  const index = indexOf(files.map((file) => ({ ...file, name: names.get(file.path)! })));
  const hash = hashOf(index);
  const begun = { ...state, files: Object.fromEntries(known), index: [...state.index, hash] };
  // Writes the state before the files: after a kill, the next command then does not mistake written files for edits.
  if (differences.length > 0 || !state.index.includes(hash))
    await writeState(folder, { ...begun, pending: pendingOf(differences) });
  for (let from = 0; from < differences.length; from += parallelWrites) {
    const batch = differences.slice(from, from + parallelWrites);
    for (const [at, next] of (await Promise.all(batch.map((one) => updateFile(folder, one)))).entries()) {
      const difference = batch[at]!;
      if (next === null) known.delete(difference.path);
      else if (next !== undefined) known.set(difference.path, next);
      handled.push({ ...difference, isDone: next !== undefined });
    }
  }
  const indexed = (await writeIndex(folder, state.index, index)) ? [hash] : state.index;
  const done = { ...state, files: Object.fromEntries(known), pending: {}, index: indexed };
  const recorded = await recordChanges(memoryFiles, folder, { state: done, files, names });
  const { recording: _recorded, ...next } = done;
  await writeState(folder, { ...next, recorded });
  return { committed, ...reportOf(handled) };
}

/** Writes MEMORY.md if its hash is one of `hashes`. Returns false and writes nothing if a user edited or removed it. */
async function writeIndex(folder: string, hashes: readonly string[], content: string): Promise<boolean> {
  for (const hash of hashes) if (await changeFile(folder, indexName, { expected: hash || null, content })) return true;
  return false;
}

function pendingOf(differences: readonly Difference[]): CheckoutState["pending"] {
  const incoming = differences.flatMap(({ kind, path, name, theirs }) =>
    kind === "incoming" && theirs !== null
      ? [[path, { name, version: theirs.version, hash: hashOf(contentInFolder(theirs)) }] as const]
      : [],
  );
  return Object.fromEntries(incoming);
}

interface Handled extends Difference {
  readonly isDone: boolean;
}

function reportOf(handled: readonly Handled[]): Omit<CheckoutReport, "committed"> {
  const namesOf = (wanted: (difference: Handled) => boolean) => handled.filter(wanted).map(({ name }) => name);
  const refused = handled.flatMap(({ name, kind, problem, isDone }) => {
    const reason = kind === "incoming" && !isDone ? "another file or folder has this name" : problem;
    return reason === undefined ? [] : [{ name, problem: reason }];
  });
  return {
    updated: namesOf(({ kind, isDone }) => kind === "incoming" && isDone),
    conflicts: namesOf(({ kind }) => kind === "conflict" || kind === "unresolved"),
    removed: namesOf(({ kind }) => kind === "removed"),
    refused,
  };
}

/** Updates a file in the folder. Returns the file as it is now, null if removed, or undefined if nothing changed. */
async function updateFile(folder: string, difference: Difference): Promise<KnownFile | null | undefined> {
  const { kind, name, theirs, known, hash } = difference;
  if (kind === "agreed" && theirs !== null && hash !== null) return { name, version: theirs.version, hash };
  if (kind === "conflict") return writeConflict(folder, difference);
  if (kind !== "incoming") return undefined;
  const content = theirs === null ? null : contentInFolder(theirs);
  if (!(await changeFile(folder, name, { expected: hash, content }))) return undefined;
  if (theirs === null || content === null) return known === null ? undefined : null;
  return { name, version: theirs.version, hash: hashOf(content) };
}

/**
 * Writes memory's text beside the file. Returns the file as having memory's version and text, so that any other text
 * that the user leaves in the file counts as an edit, which the next commit may write.
 */
async function writeConflict(folder: string, { name, theirs }: Difference): Promise<KnownFile | undefined> {
  const content = theirs === null ? "This file was removed from memory.\n" : contentInFolder(theirs);
  const isWritten = await changeFile(folder, `${name}${conflictEnding}`, { expected: null, content });
  if (!isWritten) return undefined;
  return { name, version: theirs?.version ?? null, hash: theirs === null ? "" : hashOf(content) };
}
