// The state of the `/memory` panel, and its port to memory.
// Invariant: the state is an immutable value; `memory-panel.ts` derives the next state.
import type { RevertedEdit } from "../../../agent/events.ts";
import type { ModuleView, RevisionCause, RevisionRecord } from "../runtime-records.ts";

/** Core memory as the panel shows it. */
export interface MemoryReading {
  readonly modules: readonly ModuleView[];
  /** Edits by the label of their module, newest first. */
  readonly edits: ReadonlyMap<string, readonly RevisionRecord[]>;
  /** Other users and agents that use a module, by its label. */
  readonly sharing: ReadonlyMap<string, readonly string[]>;
}

/** The panel's port to memory. */
export interface MemorySource {
  read(): Promise<MemoryReading>;
  cause(edit: RevisionRecord): Promise<RevisionCause>;
  /** Returns all reverted edits. Without `force`, throws DependentEditsError if later edits depend on this edit. */
  undo(edit: RevisionRecord, options: { readonly force: boolean }): Promise<readonly RevertedEdit[]>;
}

/** The confirmation before an undo. */
export interface UndoQuestion {
  readonly edit: RevisionRecord;
  /** Revisions of the later edits that would be reverted as well; initially empty. */
  readonly later: readonly number[];
}

export interface MemoryPanel {
  readonly source: MemorySource;
  readonly reading: MemoryReading;
  readonly tab: number;
  /** Index of the selected edit; 0 is the newest. */
  readonly chosen: number;
  /** Scroll offset of the value or the cause, in rows. */
  readonly scrolled: number;
  readonly cause: RevisionCause | null;
  readonly question: UndoQuestion | null;
  /** Edits reverted in this panel, in order. */
  readonly undone: readonly RevertedEdit[];
}

/** Returns the module of the open tab. */
export function moduleOf({ reading, tab }: MemoryPanel): ModuleView | undefined {
  return reading.modules[tab];
}

/** Returns the edits of the open tab's module, newest first. */
export function editsOf(panel: MemoryPanel): readonly RevisionRecord[] {
  return panel.reading.edits.get(moduleOf(panel)?.label ?? "") ?? [];
}
