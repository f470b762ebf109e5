// Renders the state of the panel of `/memory` as rows: tabs, a module's value, its edits with a difference, or an edit's cause.
// Invariant: the state is immutable; the rows fit the given space, and the selected edit is always in view. Pure.
import type { RevertedEdit } from "../../../agent/events.ts";
import { appendAll } from "../../../base/lists.ts";
import { takeCodePoints } from "../../../base/code-points.ts";
import { diffLines } from "../../../base/line-diff.ts";
import { externalText } from "../../../base/message/message.ts";
import { changeRow } from "../rows/item-rows.ts";
import { whenLabel } from "../rows/labels.ts";
import { type Row, span, type Tone } from "../rows/row.ts";
import { flatText, screenText, truncateRow, wrapText } from "../rows/wrap.ts";
import type { ModuleView, RevisionCause, RevisionRecord } from "../runtime-records.ts";
import type { DialogRows, DialogSpace } from "./dialog.ts";
import { scrolledRows, shownBeginning, tabRow } from "./pager.ts";

/** The data about core memory that the panel shows. */
export interface MemoryReading {
  readonly modules: readonly ModuleView[];
  /** Edits by the label of their module, newest first. */
  readonly edits: ReadonlyMap<string, readonly RevisionRecord[]>;
  /** Other users and agents that use a module, by its label. */
  readonly sharing: ReadonlyMap<string, readonly string[]>;
}

/** The functions with which the panel reads and changes memory. */
export interface MemorySource {
  read(): Promise<MemoryReading>;
  cause(edit: RevisionRecord): Promise<RevisionCause>;
  /** Reverts an edit. Returns all reverted edits. Without `force`, throws DependentEditsError if later edits depend on it. */
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

const blank: Row = [];
/** Width of the fill gauge of a module, in cells. */
const gaugeCells = 10;
const differenceRows = 6;

export function memoryPanelRows(panel: MemoryPanel, space: DialogSpace): DialogRows {
  const { width, max } = space;
  const labels = panel.reading.modules.map(({ label }) => label);
  const head = [tabRow(labels, panel.tab, width), headRow(panel, width), ...sharingRows(panel, width)];
  const room = max - head.length;
  const body =
    panel.cause === null
      ? moduleRows(panel, { ...space, max: room })
      : scrolledRows(causeRows(panel.cause, space), panel.scrolled, room);
  const question = panel.question === null ? [] : questionRows(panel.question, width);
  const above = [...head, ...body].slice(0, Math.max(0, max - question.length));
  return { rows: [...above, ...question].slice(0, max) };
}

/** Renders `human 9/4000 ▓░░░░░░░░░ · read-only · description`. */
function headRow(panel: MemoryPanel, width: number): Row {
  const module = moduleOf(panel);
  if (module === undefined) return truncateRow([span("This agent has no core memory.", "faint")], width);
  const { label, length, limit, scope, readOnly, description } = module;
  const filled = limit === 0 ? 0 : Math.min(gaugeCells, Math.ceil((gaugeCells * length) / limit));
  const isNearlyFull = length > limit * 0.9;
  const marks = [
    `of the ${scope}`,
    ...(readOnly ? ["read-only"] : []),
    ...outsideMarks(module),
    ...(description === null ? [] : [flatText(takeCodePoints(description, 200))]),
  ];
  return truncateRow(
    [
      span(`${screenText(label)} `, "strong"),
      span(`${length}/${limit} `, isNearlyFull ? "warning" : "faint"),
      span("▓".repeat(filled), isNearlyFull ? "warning" : "accent"),
      span("░".repeat(gaugeCells - filled), "faint"),
      span(` · ${marks.join(" · ")}`, "faint"),
    ],
    width,
  );
}

/** Returns `from outside` for a module with the trust class `external`, with the numbers of its external lines if known. */
function outsideMarks({ trust, lineTrust }: ModuleView): readonly string[] {
  if (trust !== "external") return [];
  const lines = (lineTrust ?? []).flatMap((one, at) => (one === "external" ? [at + 1] : []));
  return [lines.length === 0 ? "from outside" : `from outside: line ${lines.join(", ")}`];
}

/** Renders who else uses the module; no rows if nobody does. */
function sharingRows({ reading, ...panel }: MemoryPanel, width: number): readonly Row[] {
  const words = reading.sharing.get(moduleOf({ reading, ...panel })?.label ?? "") ?? [];
  return words.length === 0 ? [] : [truncateRow([span(words.join(" · "), "faint")], width)];
}

function moduleRows(panel: MemoryPanel, { width, max, now }: DialogSpace): readonly Row[] {
  const module = moduleOf(panel);
  if (module === undefined) return [];
  const edits = editsOf(panel);
  const value =
    module.value === ""
      ? [[span("  (empty)", "faint")]]
      : wrapText(shownBeginning(module.value), "plain", { width, lead: [span("  ")] });
  const list = editRows(panel, { width, max, now });
  // The value has half of the rows, plus the rows that the edits do not need.
  const forValue = Math.max(Math.floor(max / 2) - 1, max - list.length - 2);
  const shown = scrolledRows(value, panel.scrolled, forValue);
  const rest = max - shown.length - 2;
  const heading = span(edits.length === 0 ? "No edits yet." : "Edits, newest first", "faint");
  return [...shown, blank, truncateRow([heading], width), ...aroundChosen(list, panel.chosen, rest)];
}

interface EditRow {
  readonly row: Row;
  readonly edit: number;
}

function editRows(panel: MemoryPanel, { width, now }: DialogSpace): readonly EditRow[] {
  return editsOf(panel).flatMap((edit, index) => {
    const isChosen = index === panel.chosen;
    const changes = diffLines(edit.before, edit.after);
    const added = changes.filter(({ sign }) => sign === "+").length;
    const head = [
      span(isChosen ? "❯ " : "  ", "accent"),
      span(`r${edit.revision}  `, isChosen ? "strong" : "plain"),
      span(`${causeLabel(edit)}, ${whenLabel(edit.at, now)}  `, "faint"),
      ...(edit.trust === "external" ? [span("from outside  ", "warning")] : []),
      span(`+${added}`, "added"),
      span(` -${changes.length - added}`, "removed"),
    ];
    const rows = [truncateRow(head, width)];
    if (isChosen) appendAll(rows, differenceOf(edit, width));
    return rows.map((row) => ({ row, edit: index }));
  });
}

function differenceOf(edit: RevisionRecord, width: number): readonly Row[] {
  const rows = diffLines(edit.before, edit.after).flatMap((change) => changeRow(change, Math.max(4, width - 6)));
  const shown = rows.slice(0, differenceRows).map((row) => truncateRow([span("      "), ...row], width));
  const left = rows.length - shown.length;
  return left === 0 ? shown : [...shown, truncateRow([span(`      … ${left} more rows: Enter`, "faint")], width)];
}

/** Returns the part of the list with the selected edit and its difference, as near to the beginning as possible. */
function aroundChosen(list: readonly EditRow[], chosen: number, max: number): readonly Row[] {
  const room = Math.max(0, max);
  const first = list.findIndex(({ edit }) => edit === chosen);
  const last = list.findLastIndex(({ edit }) => edit === chosen);
  const from = Math.max(0, Math.min(first, last - room + 1));
  return list.slice(from, from + room).map(({ row }) => row);
}

function questionRows({ edit, later }: UndoQuestion, width: number): readonly Row[] {
  const dependent = later.map((number) => `r${number}`).join(", ");
  const text =
    later.length === 0 ? `Undo r${edit.revision}?` : `Later edits depend on it: ${dependent}. Undo these as well?`;
  return wrapText(text, "warning", { width, lead: [span("? ", "warning")] }).slice(0, 4);
}

const leadOf = {
  message: "After this was said",
  event: "After this event",
  system: "After this system message",
} as const satisfies Record<NonNullable<RevisionCause["input"]>["kind"], string>;

/** Returns the cause of an edit as rows no wider than the width: the request, the call, and the full difference. Pure. */
export function causeRows({ revision, call, input }: RevisionCause, { width, now }: DialogSpace): readonly Row[] {
  const lead = [span("  ")];
  const headed = (head: Row, text: string, tone: Tone): readonly Row[] => [
    truncateRow(head, width),
    ...wrapText(shownBeginning(text), tone, { width, lead }),
  ];
  const said = input && [span(`${leadOf[input.kind]}, ${whenLabel(input.at, now)}:`, "faint")];
  const asked = said && headed(said, input.text, "plain");
  const name = call && [span("the model called ", "faint"), span(call.name, "strong"), span(":", "faint")];
  const called = name && headed(name, call.arguments, "code");
  const unknown = input === null && call === null ? wrapText(noCause(revision), "faint", { width }) : [];
  return [
    truncateRow(
      [span(`Why r${revision.revision}: ${causeLabel(revision)}, ${whenLabel(revision.at, now)}`, "strong")],
      width,
    ),
    ...(asked ?? []),
    ...(called ?? []),
    ...unknown,
    ...outsideRows(revision, width),
    truncateRow([span("which changed:", "faint")], width),
    ...diffLines(revision.before, revision.after).flatMap((change) =>
      changeRow(change, Math.max(4, width - 2)).map((row) => truncateRow([...lead, ...row], width)),
    ),
  ];
}

/** Returns the rows about external texts that may have led to the edit. */
function outsideRows({ trust, external }: RevisionRecord, width: number): readonly Row[] {
  if (trust !== "external") return [];
  const seen = external.length === 0 ? "" : `; in the window: ${externalText(external)}`;
  return wrapText(`from outside${seen}`, "warning", { width });
}

function noCause({ origin, undoes }: RevisionRecord): string {
  if (undoes !== null) return `It reverted revision ${undoes}, by ${origin}.`;
  if (origin === "model") return "The conversation that it came from was deleted.";
  return `It was made outside of a conversation, by ${origin}.`;
}

/** Returns the author of an edit, in one or two words. */
export function causeLabel({ undoes, toolName, origin }: RevisionRecord): string {
  return undoes === null ? (toolName ?? `by ${origin}`) : `reverts r${undoes}`;
}
