// Core memory together with the revision of each module, as a compare-and-swap needs it.
// Invariant: pure; a change names the revision and the text that it was made from.
import type { Trust } from "../../message/message.ts";
import type { MemorySnapshot, ModuleChange, ModuleRecord, SynopsisSnapshot } from "../records.ts";
import { lowestTrust } from "../trust.ts";
import type { BaseMemory, MemoryClass } from "./base-memory.ts";

export interface VersionedMemory {
  readonly memory: BaseMemory;
  readonly revisions: ReadonlyMap<string, number>;
  /** Of each module's value. */
  readonly trust: ReadonlyMap<string, Trust>;
}

/** The memory of the given class with the stored modules in it. */
export function loadCoreMemory(memoryClass: MemoryClass, records: readonly ModuleRecord[]): VersionedMemory {
  const memory = memoryClass.fromJSON({ type: memoryClass.type, modules: records });
  return {
    memory,
    revisions: new Map(records.map(({ label, revision }) => [label, revision])),
    trust: new Map(records.map(({ label, trust }) => [label, trust])),
  };
}

/** Returns core memory and the synopsis as a prompt shows them from now on. */
export function snapshotOf(
  { memory, trust }: VersionedMemory,
  { synopsis, stateKey }: Pick<MemorySnapshot, "stateKey"> & { readonly synopsis: SynopsisSnapshot | null },
): MemorySnapshot {
  return {
    stateKey,
    text: memory.render(),
    values: Object.fromEntries(memory.modules.map(({ label, value }) => [label, value])),
    trust: lowestTrust("user", ...trust.values(), ...(synopsis === null ? [] : [synopsis.trust])),
    ...(synopsis === null ? {} : { synopsis }),
  };
}

/** What was changed between a versioned memory and its edited draft. */
export function moduleChanges(
  { memory, revisions }: Pick<VersionedMemory, "memory" | "revisions">,
  draft: BaseMemory,
): readonly ModuleChange[] {
  return draft.modules.flatMap((module) => {
    const { label, scope, value } = module;
    const before = memory.labels().includes(label) ? memory.read(label) : "";
    return before === value ? [] : [{ label, scope, revision: revisions.get(label) ?? 0, before, after: value }];
  });
}

export interface DraftedEdit {
  readonly memory: BaseMemory;
  readonly changes: readonly ModuleChange[];
}

/**
 * The edit made again on core memory as it is now: appended lines follow the newest text, and another edit is kept while its
 * module has not changed. Null when another edit was made of a text that has changed. Throws ModuleLimitError or
 * ModuleReadOnlyError for lines that the newest text has no room for.
 */
export function rebaseEdit(
  { memory, changes }: DraftedEdit,
  newest: VersionedMemory,
  trust: Trust,
): DraftedEdit | null {
  const rebased = newest.memory.draft();
  for (const { label, revision, after } of changes) {
    const lines = memory.appended(label);
    if (lines !== null) for (const line of lines) rebased.append(label, line);
    else if (newest.revisions.get(label) === revision) rebased.edit(label, () => after);
    else return null;
  }
  // The newest text may have a lower class than what the edit was made from.
  const lowered = moduleChanges(newest, rebased).map((change) => {
    const of = newest.trust.get(change.label);
    return of === undefined ? change : { ...change, trust: lowestTrust(trust, of) };
  });
  return { memory: rebased, changes: lowered };
}

export interface CommittedEdit extends DraftedEdit {
  /** Of changes without a class of their own. */
  readonly trust: Trust;
}

/** The edited memory, after its changes were committed with this class. */
export function adoptEdit(versioned: VersionedMemory, { memory, changes, trust }: CommittedEdit): VersionedMemory {
  return {
    memory,
    revisions: new Map([
      ...versioned.revisions,
      ...changes.map(({ label, revision }) => [label, revision + 1] as const),
    ]),
    trust: new Map([...versioned.trust, ...changes.map((change) => [change.label, change.trust ?? trust] as const)]),
  };
}
