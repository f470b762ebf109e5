// Core memory together with the revision of each module, as a compare-and-swap needs it.
// Invariant: pure; a change names the revision and the text that it was made from.
import type { ModuleChange, ModuleRecord } from "../records.ts";
import type { BaseMemory, MemoryClass } from "./base-memory.ts";

export interface VersionedMemory {
  readonly memory: BaseMemory;
  readonly revisions: ReadonlyMap<string, number>;
}

/** The memory of the given class with the stored modules in it. */
export function loadCoreMemory(memoryClass: MemoryClass, records: readonly ModuleRecord[]): VersionedMemory {
  const memory = memoryClass.fromJSON({ type: memoryClass.type, modules: records });
  return { memory, revisions: new Map(records.map(({ label, revision }) => [label, revision])) };
}

/** What was changed between a versioned memory and its edited draft. */
export function moduleChanges({ memory, revisions }: VersionedMemory, draft: BaseMemory): readonly ModuleChange[] {
  return draft.modules.flatMap((module) => {
    const { label, scope, value } = module;
    const before = memory.labels().includes(label) ? memory.read(label) : "";
    return before === value ? [] : [{ label, scope, revision: revisions.get(label) ?? 0, before, after: value }];
  });
}

/** The revisions after these changes were committed. */
export function advanceRevisions(
  revisions: ReadonlyMap<string, number>,
  changes: readonly ModuleChange[],
): ReadonlyMap<string, number> {
  return new Map([...revisions, ...changes.map(({ label, revision }) => [label, revision + 1] as const)]);
}
