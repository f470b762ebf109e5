// Creates the panel of `/memory`, where a tab per module shows its value and its edits with their causes, and undoes them.
// Invariant: the panel shows data that was read when it was opened or after its last undo; only `undo` changes memory.
import type { RevertedEdit } from "../../../agent/events.ts";
import { DependentEditsError } from "../../../base/errors.ts";
import type { RevisionRecord } from "../runtime-records.ts";
import { type Dialog, type DialogStep, lineSteps, tabSteps } from "./dialog.ts";
import type { Key } from "../keys/key-codes.ts";
import {
  editsOf,
  type MemoryPanel,
  memoryPanelRows,
  type MemoryReading,
  type MemorySource,
  type UndoQuestion,
} from "./memory-panel-rows.ts";

/** Rows that Page Up and Page Down scroll. */
const page = 5;

/** Returns the panel, opened at the tab of the module `label`. Its result is the list of reverted edits. */
export function memoryPanel(
  source: MemorySource,
  reading: MemoryReading,
  label: string,
): Dialog<readonly RevertedEdit[]> {
  const tab = tabOf(reading, label);
  const still = { chosen: 0, scrolled: 0, cause: null, question: null, undone: [] };
  return dialogOf({ source, reading, tab, ...still });
}

function tabOf({ modules }: MemoryReading, label: string): number {
  return Math.max(
    0,
    modules.findIndex((module) => module.label === label),
  );
}

type Step = DialogStep<readonly RevertedEdit[]>;

function dialogOf(panel: MemoryPanel): Dialog<readonly RevertedEdit[]> {
  return { hints: hintsOf(panel), draw: (space) => memoryPanelRows(panel, space), press: (key) => pressed(panel, key) };
}

function hintsOf(panel: MemoryPanel): readonly string[] {
  if (panel.question !== null) return ["y undo", "any other key cancels"];
  if (panel.cause !== null) return ["Esc back", "PgUp PgDn scroll"];
  const ofEdits = editsOf(panel).length === 0 ? [] : ["↑ ↓ edit", "Enter why", "u undo"];
  return ["Esc close", "← → module", ...ofEdits, "PgUp PgDn scroll"];
}

function pressed(panel: MemoryPanel, key: Key): Step {
  if (panel.question !== null) return answered(panel, panel.question, key);
  if (panel.cause !== null && (key.chord === "escape" || key.chord === "enter" || key.chord === "left"))
    return show({ ...panel, cause: null, scrolled: 0 });
  if (key.chord === "escape" || key.text === "q") return { type: "close", result: panel.undone };
  const scrolled = scrolls[key.chord];
  if (scrolled !== undefined) return show({ ...panel, scrolled: Math.max(0, panel.scrolled + scrolled) });
  return panel.cause === null ? moved(panel, key) : show(panel);
}

const scrolls: Readonly<Record<string, number>> = { pagedown: page, pageup: -page };

function moved(panel: MemoryPanel, { chord, text }: Key): Step {
  const tabs = panel.reading.modules.length;
  const tabStep = tabSteps[chord];
  if (tabStep !== undefined)
    return show({ ...panel, tab: (panel.tab + tabStep + tabs) % Math.max(1, tabs), chosen: 0, scrolled: 0 });
  const edits = editsOf(panel);
  const chosen = panel.chosen + (lineSteps[chord] ?? 0);
  const edit = edits[panel.chosen];
  if (edit === undefined) return show(panel);
  if (chord === "enter") return { type: "work", activity: "looking for the cause", run: () => causeShown(panel, edit) };
  if (text === "u") return show({ ...panel, question: { edit, later: [] } });
  return show({ ...panel, chosen: Math.max(0, Math.min(edits.length - 1, chosen)) });
}

async function causeShown(panel: MemoryPanel, edit: RevisionRecord): Promise<Step> {
  return show({ ...panel, cause: await panel.source.cause(edit), scrolled: 0 });
}

function answered(panel: MemoryPanel, { edit, later }: UndoQuestion, { text }: Key): Step {
  if (text !== "y" && text !== "Y") return show({ ...panel, question: null });
  return { type: "work", activity: "undoing", run: () => reverted(panel, edit, later.length > 0) };
}

async function reverted(panel: MemoryPanel, edit: RevisionRecord, force: boolean): Promise<Step> {
  try {
    const undone = await panel.source.undo(edit, { force });
    const reading = await panel.source.read();
    return show({
      ...panel,
      reading,
      tab: tabOf(reading, edit.label),
      question: null,
      chosen: 0,
      undone: [...panel.undone, ...undone],
    });
  } catch (error) {
    if (!(error instanceof DependentEditsError) || force) throw error;
    return show({ ...panel, question: { edit, later: error.edits.flatMap(({ later }) => later) } });
  }
}

function show(panel: MemoryPanel): Step {
  return { type: "show", dialog: dialogOf(panel) };
}
