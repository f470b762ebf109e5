// Core memory together with the revision of each module, for compare-and-swap.
// Invariant: pure; a change names the revision and the text that it was made from.
import { lowestTrust, type Trust } from "../../message/message.ts";
import type { MemorySnapshot, ModuleChange, ModuleRecord, SynopsisSnapshot } from "../records.ts";
import type { ModuleVersion } from "../turn-store.ts";
import type { BaseMemory, MemoryClass } from "./base-memory.ts";

export interface VersionedMemory {
  readonly memory: BaseMemory;
  readonly revisions: ReadonlyMap<string, number>;
  /** Id and version of each module, by label. */
  readonly versions: ReadonlyMap<string, Pick<ModuleVersion, "id" | "version">>;
  /** Trust class of each module's value, by label. */
  readonly trust: ReadonlyMap<string, Trust>;
}

/** Creates a memory of the given class with the stored modules. */
export function loadCoreMemory(memoryClass: MemoryClass, records: readonly ModuleRecord[]): VersionedMemory {
  const memory = memoryClass.fromJSON({ type: memoryClass.type, modules: records });
  return {
    memory,
    revisions: new Map(records.map(({ label, revision }) => [label, revision])),
    versions: new Map(records.map((module) => [module.label, module])),
    trust: new Map(records.map(({ label, trust }) => [label, trust])),
  };
}

/** Returns the snapshot of core memory, synopsis and tools that requests show from now on. */
export function snapshotOf(
  { memory, trust }: VersionedMemory,
  { synopsis, ...rest }: Pick<MemorySnapshot, "stateKey" | "tools"> & { readonly synopsis: SynopsisSnapshot | null },
): MemorySnapshot {
  return {
    ...rest,
    text: memory.render(),
    values: Object.fromEntries(memory.modules.map(({ label, value }) => [label, value])),
    trust: lowestTrust([...trust.values(), ...(synopsis === null ? [] : [synopsis.trust])]),
    ...(synopsis === null ? {} : { synopsis }),
  };
}

/** Returns the changes between a versioned memory and its edited draft. */
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
 * Repeats an edit on current core memory: appended lines follow the newest text; other edits are kept if their module
 * has not changed. Returns null if a module with another edit has changed. Throws ModuleLimitError or
 * ModuleReadOnlyError if the newest text has no room for the lines.
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
  // The newest text may have a lower trust class than the text that the edit was made from.
  const lowered = moduleChanges(newest, rebased).map((change) => {
    const of = newest.trust.get(change.label);
    return of === undefined ? change : { ...change, trust: lowestTrust([trust, of]) };
  });
  return { memory: rebased, changes: lowered };
}

export interface CommittedEdit extends DraftedEdit {
  /** Trust class of changes that do not set their own. */
  readonly trust: Trust;
}

/** Returns the edited memory after its changes were committed with this trust class. */
export function adoptEdit(versioned: VersionedMemory, { memory, changes, trust }: CommittedEdit): VersionedMemory {
  return {
    memory,
    revisions: new Map([
      ...versioned.revisions,
      ...changes.map(({ label, revision }) => [label, revision + 1] as const),
    ]),
    versions: versioned.versions,
    trust: new Map([...versioned.trust, ...changes.map((change) => [change.label, change.trust ?? trust] as const)]),
  };
}
