// Plans the effects of checked operations on memory: changes of modules, passages to add, and passages that get a successor.
// Invariant: pure; a replaced or moved line is in the archive afterwards; a line that no operation names stays as it is, with its
// class.
import type { Ids } from "../../base/ids.ts";
import { groupBy } from "../../base/lists.ts";
import type { Trust } from "../../base/message/message.ts";
import type { ConsolidationOperation, MemoryRow, PassageLink } from "../../store/port/consolidation-store.ts";
import type { NewPassage } from "../../store/port/passage-store.ts";
import type { ModuleChange, ModuleRecord } from "../../store/port/records.ts";
import { trustOfEdit } from "../line-trust.ts";
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
  readonly operations: readonly ConsolidationOperation[];
}

type ReplacedPassage = PassageLink & { readonly text: string };

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
    operations: applied,
  };
}

function lineEditOf({ kind, targets, texts, module, trust }: ConsolidationOperation): readonly LineEdit[] {
  const label = targets[0]?.kind === "line" ? targets[0].id : module;
  if (label === null || kind === "split") return [];
  return [{ label, gone: targets.map(({ text }) => text), line: texts[0] ?? null, trust }];
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
  // If the module already has the line, it stays where it is.
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
  /** Returns the passage with this text, current or replaced; adds a passage if there is none. */
  place(text: string, trust: Trust): Pick<MemoryRow, "id" | "isReplaced">;
  /** Replaces a passage by another one. */
  link(id: string, text: string, by: string): void;
  readonly rows: readonly MemoryRow[];
}

function createArchivePlan({ rows, ids, now }: PlanDeps): ArchivePlan {
  const passages: NewPassage[] = [];
  const links: ReplacedPassage[] = [];
  return {
    passages,
    links,
    rows,
    place(text, trust) {
      const known = rows.find((row) => row.kind === "passage" && row.text === text);
      const added = known ?? passages.find((one) => one.text === text);
      if (added !== undefined) return added;
      const passage = { id: ids.next(), text, tags: [], kind: "memory", at: now, trust } as const;
      passages.push(passage);
      return passage;
    },
    link(id, text, by) {
      if (id !== by && !links.some((link) => link.id === id)) links.push({ id, text, by });
    },
  };
}

function archivePassages(operation: ConsolidationOperation, archive: ArchivePlan): void {
  const { kind, targets, trust } = operation;
  const [successor] = archivedTexts(operation).map((text) => archive.place(text, trust).id);
  if (kind === "move-to-archive" || successor === undefined) return;
  const lines = archive.rows.filter((row) => row.kind === "line" && row.id === targets[0]?.id);
  const classOf = (line: string) => lines.find(({ text }) => text === line)?.trust ?? "external";
  for (const target of targets) {
    const old = target.kind === "line" ? archive.place(target.text, classOf(target.text)) : target;
    if (!("isReplaced" in old && old.isReplaced)) archive.link(old.id, target.text, successor);
  }
}
