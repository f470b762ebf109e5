// Plans the revisions that revert edits of core memory, and detects later edits that would be lost.
// Invariant: pure. An edit depends on an earlier one if it changed a line that the earlier one wrote. Reverting an edit removes
// the lines that it wrote and restores those that it removed; all other lines stay, with their trust classes.
import { codePointLength } from "../../base/code-points.ts";
import { DependentEditsError, RequestError } from "../../base/errors.ts";
import { parseStructure } from "../../base/json-values.ts";
import { compareLines, linesOf } from "../../base/line-diff.ts";
import { lowestTrust, type Trust } from "../../base/message/message.ts";
import { textTrust, trustOfBeginning, trustOfLines, trustOfText } from "../trust.ts";
import type { ModuleChange, ModuleRecord, RevisionRecord } from "../../store/port/records.ts";

export interface RevertRequest {
  /** Selects the edits to revert; edits that are already reverted are ignored. */
  readonly isSelected: (revision: RevisionRecord) => boolean;
  readonly moduleOf: (label: string) => Pick<ModuleRecord, "scope" | "limit">;
  /** If later edits depend on the selected ones: `refuse` the revert, or also `revert` the later edits. */
  readonly later: "refuse" | "revert";
}

export interface RevertPlan {
  /** The changes in the order in which they must be applied. */
  readonly changes: readonly ModuleChange[];
  /** The reverted edits, newest first. */
  readonly edits: readonly RevisionRecord[];
}

/**
 * Returns the changes that revert the selected edits. `revisions` must be newest first and contain, per module, everything from
 * the revision before the oldest selected one. Throws DependentEditsError, which names every module and revision that prevents
 * the revert, and RequestError `undo_refused` if the restored lines exceed a module's limit.
 */
export function planRevert(revisions: readonly RevisionRecord[], request: RevertRequest): RevertPlan {
  const labels = [...new Set(revisions.map(({ label }) => label))].sort();
  const inForce = new Set(editsInForce(revisions));
  const modules = labels.map((label) => {
    const ofModule = revisions.filter((revision) => revision.label === label);
    const edits = tracedEdits(ofModule.toSorted((one, other) => other.revision - one.revision));
    const reverted = withDependents(
      edits.filter(({ revision }) => inForce.has(revision)),
      request.isSelected,
    );
    return { label, edits, reverted };
  });
  const blocked = modules.filter(({ reverted }) => !reverted.every(({ revision }) => request.isSelected(revision)));
  if (request.later === "refuse" && blocked.length > 0) {
    throw new DependentEditsError(
      blocked.map(({ label, reverted }) => {
        const numbers = (isMeant: boolean) =>
          reverted
            .filter((edit) => request.isSelected(edit.revision) === isMeant)
            .map((edit) => edit.revision.revision);
        return { label, revisions: numbers(true), later: numbers(false) };
      }),
    );
  }
  const taken = new Set(modules.flatMap(({ reverted }) => reverted.map(({ revision }) => revision)));
  return {
    changes: modules.flatMap(({ label, edits, reverted }) => changesOf(edits, reverted, request.moduleOf(label))),
    edits: revisions.filter((revision) => taken.has(revision)),
  };
}

/** Returns the edits that have an effect and are neither reverted nor reverts themselves, in the given order (newest first). */
export function editsInForce(revisions: readonly RevisionRecord[]): readonly RevisionRecord[] {
  const undone = new Set(revisions.flatMap(({ label, undoes }) => (undoes === null ? [] : [`${label} ${undoes}`])));
  return revisions.filter(
    ({ label, revision, undoes, before, after }) =>
      undoes === null && before !== after && !undone.has(`${label} ${revision}`),
  );
}

/** A line of a module: one object in all revisions that contain the line. Another line with the same text is another object. */
interface Line {
  readonly text: string;
  /** The line's trust class in the newest revision that contains the line. */
  trust: Trust;
}

interface TracedEdit {
  readonly revision: RevisionRecord;
  readonly before: readonly Line[];
  readonly after: readonly Line[];
}

/** Returns the revisions of one module, oldest first, each with the lines before and after it. */
function tracedEdits(newestFirst: readonly RevisionRecord[]): readonly TracedEdit[] {
  const edits = new Map<number, TracedEdit>();
  let lines: readonly Line[] = [];
  for (const revision of newestFirst.toReversed()) {
    const undone = revision.undoes === null ? undefined : edits.get(revision.undoes);
    // A line that no earlier revision wrote counts as external, because a forgetting may have changed the text in between.
    // Before revision 1, such a line is from the text with which the module was created or imported.
    const before = linesAfter(lines, revision.before, {
      trust: revision.revision === 1 ? trustOfBeginning(revision) : "external",
      lost: [],
    });
    const lost = undone === undefined ? [] : without(undone.before, undone.after);
    const after = linesAfter(before, revision.after, { trust: revision.trust, lost });
    const classes = trustOfLines({ value: revision.after, trust: textTrust(revision), lineTrust: revision.lineTrust });
    for (const [at, line] of after.entries()) line.trust = classes[at] ?? revision.trust;
    edits.set(revision.revision, { revision, before, after });
    lines = after;
  }
  return [...edits.values()];
}

/**
 * Returns the lines of a text that replaced `lines`. A line that stayed or moved is still the same object; so is a line of
 * `lost` that came back.
 */
function linesAfter(
  lines: readonly Line[],
  text: string,
  { trust, lost }: { readonly trust: Trust; readonly lost: readonly Line[] },
): readonly Line[] {
  const compared = compareLines(
    lines.map((line) => line.text),
    unitsOf(text),
  );
  const old = compared.filter(({ sign }) => sign !== "+");
  const gone = [...lines.filter((_line, at) => old[at]?.sign === "-"), ...lost];
  let at = 0;
  return compared.flatMap(({ sign, text: written }) => {
    if (sign === "-") at += 1;
    if (sign !== "+") return sign === "=" ? [lines[at++]!] : [];
    const place = gone.findIndex((line) => line.text === written);
    return place === -1 ? [{ text: written, trust }] : gone.splice(place, 1);
  });
}

/** Returns the parts of a text that can be reverted alone: its lines. JSON, such as a scratchpad, is one part. */
function unitsOf(text: string): readonly string[] {
  return parseStructure(text) === undefined ? linesOf(text) : [text];
}

/** Returns the selected edits and all later ones that depend on them, oldest first. */
function withDependents(edits: readonly TracedEdit[], isSelected: RevertRequest["isSelected"]): readonly TracedEdit[] {
  const written = new Set<Line>();
  return edits.filter((edit) => {
    const isMeant = isSelected(edit.revision);
    const isDependent = without(edit.before, edit.after).some((line) => line.text.trim() !== "" && written.has(line));
    if (!isMeant && !isDependent) return false;
    for (const line of without(edit.after, edit.before)) written.add(line);
    return true;
  });
}

/** Returns one change per edit, newest first. Each starts from the text that the previous change produced. */
function changesOf(
  edits: readonly TracedEdit[],
  reverted: readonly TracedEdit[],
  { scope, limit }: Pick<ModuleRecord, "scope" | "limit">,
): readonly ModuleChange[] {
  const newest = edits.at(-1);
  let lines = newest?.after ?? [];
  const changes = reverted.toReversed().map((edit, index): ModuleChange => {
    const before = lines;
    lines = revertedLines(lines, edit);
    const restored = without(lines, before);
    const texts = lines.map(({ text }) => text);
    return {
      label: edit.revision.label,
      scope,
      revision: (newest?.revision.revision ?? 0) + index,
      before: before.map(({ text }) => text).join("\n"),
      after: texts.join("\n"),
      undoes: edit.revision.revision,
      ...trustOfText(
        texts,
        lines.map(({ trust }) => trust),
      ),
      ...(restored.length === 0 ? {} : { written: lowestTrust(restored.map(({ trust }) => trust)) }),
      external: edits.find(({ revision }) => revision.revision === edit.revision.revision - 1)?.revision.external ?? [],
    };
  });
  const length = codePointLength(changes.at(-1)?.after ?? "");
  if (length > limit && length > codePointLength(changes[0]?.before ?? "")) {
    throw new RequestError(
      "undo_refused",
      `Nothing was changed: with the restored lines, "${changes[0]?.label}" would have ${length} characters, and its limit is ${limit}. Shorten its text first.`,
    );
  }
  return changes;
}

/** Removes the lines that the edit wrote, and puts back the lines that it removed, each below the line that it followed. */
function revertedLines(lines: readonly Line[], { before, after }: TracedEdit): readonly Line[] {
  const isNewest = lines.length === after.length && lines.every((line, at) => line === after[at]);
  if (isNewest) return before;
  const kept = without(lines, without(after, before));
  const present = new Set(kept);
  const removed = new Set(without(before, after));
  const restored = new Map<Line | null, Line[]>();
  let previous: Line | null = null;
  for (const line of before) {
    if (present.has(line)) previous = line;
    else if (removed.has(line)) {
      const group = restored.get(previous);
      if (group === undefined) restored.set(previous, [line]);
      else group.push(line);
    }
  }
  return [...(restored.get(null) ?? []), ...kept.flatMap((line) => [line, ...(restored.get(line) ?? [])])];
}

function without(lines: readonly Line[], others: readonly Line[]): Line[] {
  const left = new Set(others);
  return lines.filter((line) => !left.has(line));
}
