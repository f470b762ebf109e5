// What the panel of `/memory` holds, and what it asks of memory.
// Invariant: a value; `memory-panel.ts` makes the next one of it.
import type { RevertedEdit } from "../../agent/events.ts";
import type { ModuleView, RevisionCause, RevisionRecord } from "../runtime-records.ts";

/** Core memory as the panel shows it. */
export interface MemoryReading {
  readonly modules: readonly ModuleView[];
  /** By label, newest first. */
  readonly edits: ReadonlyMap<string, readonly RevisionRecord[]>;
}

/** What the panel asks of memory. */
export interface MemorySource {
  read(): Promise<MemoryReading>;
  cause(edit: RevisionRecord): Promise<RevisionCause>;
  /** Throws DependentEditsError when later edits stand on it, unless these may go as well. */
  undo(edit: RevisionRecord, options: { readonly force: boolean }): Promise<readonly RevertedEdit[]>;
}

/** What the panel asks before it takes an edit back. */
export interface UndoQuestion {
  readonly edit: RevisionRecord;
  /** Numbers of the later edits that would go as well; none at first. */
  readonly later: readonly number[];
}

export interface MemoryPanel {
  readonly source: MemorySource;
  readonly reading: MemoryReading;
  readonly tab: number;
  /** Which edit of the module is chosen, the newest being 0. */
  readonly chosen: number;
  /** Rows of the value, or of the cause, that are scrolled past. */
  readonly scrolled: number;
  readonly cause: RevisionCause | null;
  readonly question: UndoQuestion | null;
  /** Edits that were taken back here, in that order. */
  readonly undone: readonly RevertedEdit[];
}

/** The module of the tab that is open. */
export function moduleOf({ reading, tab }: MemoryPanel): ModuleView | undefined {
  return reading.modules[tab];
}

/** Its edits, newest first. */
export function editsOf(panel: MemoryPanel): readonly RevisionRecord[] {
  return panel.reading.edits.get(moduleOf(panel)?.label ?? "") ?? [];
}
