// Plans the revisions that revert edits of core memory, and detects later edits that would be lost.
// Invariant: pure. The edits in force of a module form a stack: an edit is reverted only together with all later ones.
import { DependentEditsError } from "../../base/errors.ts";
import { textTrust } from "../line-trust.ts";
import type { ModuleChange, ModuleScope, RevisionRecord } from "../../store/port/records.ts";

export interface RevertRequest {
  /** Selects the edits to revert; edits that are already reverted are ignored. */
  readonly isSelected: (revision: RevisionRecord) => boolean;
  readonly scopeOf: (label: string) => ModuleScope;
  /** What to do about later edits that are not selected but depend on selected ones: refuse, or revert them too. */
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
 * the revert.
 */
export function planRevert(revisions: readonly RevisionRecord[], request: RevertRequest): RevertPlan {
  const labels = [...new Set(revisions.map(({ label }) => label))].sort();
  const stacks = labels.map((label) => {
    const ofModule = revisions.filter((revision) => revision.label === label);
    const inForce = editsInForce(ofModule);
    return { ofModule, edits: inForce.slice(0, inForce.findLastIndex(request.isSelected) + 1) };
  });
  const blocked = stacks.map(({ edits }) => edits).filter((edits) => !edits.every(request.isSelected));
  if (request.later === "refuse" && blocked.length > 0) {
    throw new DependentEditsError(blocked.map((edits) => dependentEdits(edits, request.isSelected)));
  }
  const taken = new Set(stacks.flatMap(({ edits }) => edits));
  return {
    changes: stacks.flatMap((stack) => changesOf(stack, request.scopeOf)),
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

function dependentEdits(edits: readonly RevisionRecord[], isSelected: RevertRequest["isSelected"]) {
  const numbers = (which: readonly RevisionRecord[]) => which.map(({ revision }) => revision).toReversed();
  const later = edits.filter((edit) => !isSelected(edit));
  return { label: edits[0]?.label ?? "", revisions: numbers(edits.filter(isSelected)), later: numbers(later) };
}

interface ModuleStack {
  readonly ofModule: readonly RevisionRecord[];
  readonly edits: readonly RevisionRecord[];
}

/** Returns one change per edit. Each starts from the text that the previous change produced. */
function changesOf({ ofModule, edits }: ModuleStack, scopeOf: RevertRequest["scopeOf"]): readonly ModuleChange[] {
  const [newest] = ofModule;
  return edits.map(({ label, revision, before }, index) => ({
    label,
    scope: scopeOf(label),
    revision: (newest?.revision ?? 0) + index,
    before: edits[index - 1]?.before ?? newest?.after ?? "",
    after: before,
    undoes: revision,
    ...originBefore(revision, ofModule),
  }));
}

/** Returns the origin of the text before a revision. The initial text comes from the program; unknown text is untrusted. */
function originBefore(
  revision: number,
  ofModule: readonly RevisionRecord[],
): Pick<RevisionRecord, "trust" | "lineTrust" | "external"> {
  const before = ofModule.find((candidate) => candidate.revision === revision - 1);
  if (before === undefined) return { trust: revision === 1 ? "user" : "external", lineTrust: null, external: [] };
  return { trust: textTrust(before), lineTrust: before.lineTrust, external: before.external };
}
