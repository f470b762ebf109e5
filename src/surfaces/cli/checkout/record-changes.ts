// Brings the git history of a checkout up to date with memory.
// Invariant: only changes since the last run are read. An imported change, or one written with a slow clock, can have
// an earlier time and is then not read; the last commit still has all files as they are in memory.
import type { MemoryFile, MemoryFileChange } from "../runtime-records.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { type CheckoutState, type Recorded, writeState } from "./folder.ts";
import { addHistory, resetIndex, tipOf } from "./git-history.ts";

/** Milliseconds before the newest recorded change that the next run reads again: the store may have committed changes late. */
const overlapMs = 10_000;

export interface CheckedOut {
  readonly state: CheckoutState;
  readonly files: readonly MemoryFile[];
  /** The name of each file in the folder, by its path in memory. */
  readonly names: ReadonlyMap<string, string>;
}

/**
 * Adds new changes of memory to the git history, and returns the changes that it then contains. Writes them to the
 * state first, so that the next run does not add their commits again if this run is interrupted. Throws ConfigError.
 */
export async function recordChanges(
  memoryFiles: Runtime["memoryFiles"],
  folder: string,
  { state, files, names }: CheckedOut,
): Promise<Recorded> {
  const { agent, recording } = state;
  const tip = await tipOf(folder);
  const interrupted = recording !== undefined && recording.tip !== tip ? recording.recorded : null;
  const recorded = interrupted ?? state.recorded;
  const found = await memoryFiles.history(agent.id, recorded.until === null ? {} : { since: startOf(recorded.until) });
  const has = new Set(recorded.ids);
  const current = new Map(files.map((file) => [file.path, file]));
  const fresh = before(
    found.filter(({ id }) => !has.has(id)),
    current,
    recorded.versions,
  );
  const changes = [...fresh, ...restOf(fresh, current, recorded.versions)];
  for (const { id } of fresh) has.add(id);
  const known = found.filter(({ id }) => has.has(id));
  const until = newestOf(known) ?? recorded.until;
  const start = until === null ? null : startOf(until);
  const next = {
    until,
    ids: known.flatMap(({ id, at }) => (start !== null && at >= start ? [id] : [])),
    versions: Object.fromEntries(files.map(({ path, version }) => [path, version])),
  };
  if (changes.length > 0) {
    await writeState(folder, { ...state, recorded, recording: { tip, recorded: next } });
    await addHistory(folder, changes, { files, names, tip });
  }
  if (changes.length > 0 || interrupted !== null) await resetIndex(folder);
  return next;
}

function startOf(until: string): Date {
  return new Date(Date.parse(until) - overlapMs);
}

/** Returns the time of the newest change, at most now: an imported time in the future would hide later changes. */
function newestOf(changes: readonly MemoryFileChange[]): string | null {
  const newest = changes.at(-1);
  return newest === undefined ? null : new Date(Math.min(newest.at.getTime(), Date.now())).toISOString();
}

/** Omits the changes that were made after the files were read: the next run records them. */
function before(
  changes: readonly MemoryFileChange[],
  current: ReadonlyMap<string, MemoryFile>,
  versions: Recorded["versions"],
): readonly MemoryFileChange[] {
  const ends = new Map<string, number>();
  for (const [at, { path, text }] of changes.entries()) {
    if (text === (current.get(path)?.text ?? null)) ends.set(path, at);
  }
  const endOf = (path: string): number => {
    const isUnchanged = versions[path] === current.get(path)?.version;
    return ends.get(path) ?? (isUnchanged ? -1 : Number.POSITIVE_INFINITY);
  };
  return changes.filter(({ path }, at) => at <= endOf(path));
}

/** Returns a change for each file whose text in the git history, after `changes`, differs from its text in memory. */
function restOf(
  changes: readonly MemoryFileChange[],
  current: ReadonlyMap<string, MemoryFile>,
  versions: Recorded["versions"],
): readonly MemoryFileChange[] {
  const texts = new Map(changes.map(({ path, text }) => [path, text]));
  const at = changes.at(-1)?.at ?? new Date();
  return [...new Set([...texts.keys(), ...Object.keys(versions), ...current.keys()])].flatMap((path) => {
    const file = current.get(path);
    const text = file?.text ?? null;
    const isRecorded = texts.has(path) ? texts.get(path) === text : versions[path] === file?.version;
    return isRecorded ? [] : [{ id: path, path, text, at, by: "import", reason: `${path} as it is in memory` }];
  });
}
