// Plans the effects of checked operations on memory: changes of modules, passages to add, and passages that get a successor.
// Invariant: pure; a replaced or moved line is in the archive afterwards, with its own time, so that it does not look newer than
// what was said since; a line that no operation names stays as it is, with its class.
import type { Ids } from "../../base/ids.ts";
import { groupBy, largest } from "../../base/lists.ts";
import type { Trust } from "../../base/message/message.ts";
import { forgottenMark } from "../../base/redactor.ts";
import type {
  ConsolidationOperation,
  MemoryRow,
  PassageLink,
  PassageText,
  RowReference,
} from "../../store/port/consolidation-store.ts";
import type { NewPassage } from "../../store/port/passage-store.ts";
import type { ModuleChange, ModuleRecord, RevisionRecord } from "../../store/port/records.ts";
import { trustOfEdit } from "../trust.ts";
import { archivedTexts } from "./check-operations.ts";

export interface PlanDeps {
  /** The current memory, including each passage whose text is also a text of an operation. */
  readonly rows: readonly MemoryRow[];
  readonly modules: readonly ModuleRecord[];
  readonly ids: Ids;
  readonly now: Date;
}

export interface ConsolidationPlan {
  readonly changes: readonly ModuleChange[];
  readonly passages: readonly NewPassage[];
  readonly links: readonly ReplacedPassage[];
  /** Existing passages with the text or the new text of a removed line: they stay, even if what added them is undone. */
  readonly kept: readonly PassageText[];
  readonly operations: readonly ConsolidationOperation[];
}

type ReplacedPassage = PassageLink & PassageText;

interface LineEdit {
  readonly label: string;
  readonly gone: readonly string[];
  /** The line that replaces the first removed line, or is appended if there is none; null: lines are only removed. */
  readonly line: string | null;
  readonly trust: Trust;
}

/** Returns the effects of operations that have passed every check. */
export function planOperations(operations: readonly ConsolidationOperation[], deps: PlanDeps): ConsolidationPlan {
  const archive = createArchivePlan(deps);
  const edits = operations.flatMap(lineEditOf);
  const applied = operations.map((operation): ConsolidationOperation => {
    const replaced = archive.links.length;
    archivePassages(operation, archive);
    const links = archive.links.slice(replaced).map(({ id, by }) => ({ id, by }));
    return { ...operation, status: "applied", why: null, replaced: links };
  });
  return {
    changes: [...groupBy(edits, ({ label }) => label)].map(([label, ofModule]) => changeOf(label, ofModule, deps)),
    passages: archive.passages,
    links: archive.links,
    kept: archive.kept,
    operations: applied,
  };
}

function lineEditOf({ kind, targets, texts, module, trust }: ConsolidationOperation): readonly LineEdit[] {
  const label = targets[0]?.kind === "line" ? targets[0].id : module;
  if (label === null || kind === "split") return [];
  return [{ label, gone: targets.map(({ text }) => text), line: texts[0] ?? null, trust }];
}

/**
 * Returns whether one of these revisions of the run changed the lines of an applied operation; true if the operation
 * changed no line. Only the lines are compared, because a module's label may have changed since. If the lines were
 * forgotten, any revision of the run counts.
 */
export function isEditedBy(operation: ConsolidationOperation, revisions: readonly RevisionRecord[]): boolean {
  return lineEditOf(operation).every(({ gone, line }) => {
    if ([...gone, line ?? ""].some((text) => text.includes(forgottenMark))) return revisions.length > 0;
    const removed = gone.filter((text) => text !== line);
    const added = gone.length === 0 && line !== null ? [line] : [];
    const hasChanged = (revision: RevisionRecord): boolean => {
      const count = (text: string, value: string) => value.split("\n").filter((one) => one === text).length;
      const growth = (text: string) => count(text, revision.after) - count(text, revision.before);
      return removed.every((text) => growth(text) < 0) && added.every((text) => growth(text) > 0);
    };
    return removed.length + added.length === 0 || revisions.some(hasChanged);
  });
}

function changeOf(label: string, edits: readonly LineEdit[], { modules }: PlanDeps): ModuleChange {
  const module = modules.find((one) => one.label === label)!;
  const lines: readonly string[] = module.value.split("\n");
  const after = edits.reduce(edited, lines).join("\n");
  const classOf = (line: string) => edits.find((edit) => edit.line === line)?.trust ?? "external";
  const { scope, revision, value: before } = module;
  return { label, scope, revision, before, after, ...trustOfEdit(module, after, classOf) };
}

function edited(lines: readonly string[], { gone, line }: LineEdit): readonly string[] {
  const places = gone.map((text) => lines.indexOf(text));
  // -1: the module already contains the line, so nothing is inserted.
  const at = line !== null && lines.includes(line) ? -1 : (places[0] ?? lines.length);
  const kept = lines.flatMap((text, place) => {
    if (place === at) return line === null ? [] : [line];
    return places.includes(place) && text !== line ? [] : [text];
  });
  const isEmpty = kept.length === 1 && kept[0] === "";
  return line === null || at < lines.length ? kept : isEmpty ? [line] : [...kept, line];
}

interface ArchivePlan {
  readonly passages: NewPassage[];
  readonly links: ReplacedPassage[];
  readonly kept: PassageText[];
  /** Returns the passage with this text, current or replaced; adds a passage if there is none, with the time of the newest source. */
  place(text: string, trust: Trust, sources: readonly MemoryRow[]): Pick<MemoryRow, "id" | "isReplaced">;
  /** Replaces a passage by another one. */
  link(id: string, text: string, by: string): void;
  readonly rows: readonly MemoryRow[];
}

function createArchivePlan({ rows, ids, now }: PlanDeps): ArchivePlan {
  const passages: NewPassage[] = [];
  const links: ReplacedPassage[] = [];
  const kept: PassageText[] = [];
  return {
    passages,
    links,
    kept,
    rows,
    place(text, trust, sources) {
      const known = rows.find((row) => row.kind === "passage" && row.text === text);
      const isNeeded = known !== undefined && sources.some(({ kind }) => kind === "line");
      if (isNeeded && !kept.some(({ id }) => id === known.id)) kept.push({ id: known.id, text });
      const added = known ?? passages.find((one) => one.text === text);
      if (added !== undefined) return added;
      const newest = largest(
        sources.map(({ at }) => at.getTime()),
        0,
      );
      const at = newest === 0 ? now : new Date(newest);
      const passage = { id: ids.next(), text, tags: [], kind: "memory", at, trust } as const;
      passages.push(passage);
      return passage;
    },
    link(id, text, by) {
      if (id !== by && !links.some((link) => link.id === id)) links.push({ id, text, by });
    },
  };
}

function archivePassages(operation: ConsolidationOperation, archive: ArchivePlan): void {
  const { kind, targets, trust, evidence } = operation;
  const find = (ref: Pick<RowReference, "kind" | "id">, has: (text: string) => boolean) =>
    archive.rows.filter((row) => row.kind === ref.kind && row.id === ref.id && has(row.text)).slice(0, 1);
  const rows = targets.flatMap((target) => find(target, (text) => text === target.text));
  const cited = evidence.flatMap((one) => find(one, (text) => text.includes(one.quote)));
  // A statement that a moved line is finished does not repeat the line, so the time of the statement does not count.
  const sources = kind === "move-to-archive" ? rows : [...rows, ...cited];
  const [successor] = archivedTexts(operation).map((text) => archive.place(text, trust, sources).id);
  if (kind === "move-to-archive" || successor === undefined) return;
  for (const row of rows) {
    const old = row.kind === "line" ? archive.place(row.text, row.trust, [row]) : row;
    if (old.isReplaced !== true) archive.link(old.id, row.text, successor);
  }
}
