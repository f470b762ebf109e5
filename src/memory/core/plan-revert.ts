// Which revisions take edits of core memory back, and when that would lose somebody's later edit.
// Invariant: pure. What stands of a module is a stack: an edit is taken back only together with all that stands on it.
import { DependentEditsError } from "../../errors.ts";
import type { ModuleChange, ModuleScope, RevisionRecord } from "../records.ts";

export interface RevertRequest {
  /** The edits to take back; those that were taken back already are left aside. */
  readonly isMeant: (revision: RevisionRecord) => boolean;
  readonly scopeOf: (label: string) => ModuleScope;
  /** Edits that are not meant and stand on those that are: `refuse`, or take them back as well. */
  readonly later: "refuse" | "revert";
}

export interface RevertPlan {
  /** In the order in which they must be made. */
  readonly changes: readonly ModuleChange[];
  /** What they take back, newest first. */
  readonly edits: readonly RevisionRecord[];
}

/**
 * `revisions` are newest first, and of each module all from the one before the oldest that is meant.
 * Throws DependentEditsError, which names every module and revision in the way.
 */
export function planRevert(revisions: readonly RevisionRecord[], request: RevertRequest): RevertPlan {
  const labels = [...new Set(revisions.map(({ label }) => label))].sort();
  const stacks = labels.map((label) => {
    const ofModule = revisions.filter((revision) => revision.label === label);
    const standing = editsInForce(ofModule);
    return { ofModule, edits: standing.slice(0, standing.findLastIndex(request.isMeant) + 1) };
  });
  const blocked = stacks.map(({ edits }) => edits).filter((edits) => !edits.every(request.isMeant));
  if (request.later === "refuse" && blocked.length > 0) {
    throw new DependentEditsError(blocked.map((edits) => dependentEdits(edits, request.isMeant)));
  }
  const taken = new Set(stacks.flatMap(({ edits }) => edits));
  return {
    changes: stacks.flatMap((stack) => changesOf(stack, request.scopeOf)),
    edits: revisions.filter((revision) => taken.has(revision)),
  };
}

/** The edits that neither were taken back nor take back another, newest first as they came. */
export function editsInForce(revisions: readonly RevisionRecord[]): readonly RevisionRecord[] {
  const undone = new Set(revisions.flatMap(({ label, undoes }) => (undoes === null ? [] : [`${label} ${undoes}`])));
  return revisions.filter(({ label, revision, undoes }) => undoes === null && !undone.has(`${label} ${revision}`));
}

function dependentEdits(edits: readonly RevisionRecord[], isMeant: RevertRequest["isMeant"]) {
  const numbers = (which: readonly RevisionRecord[]) => which.map(({ revision }) => revision).toReversed();
  const later = edits.filter((edit) => !isMeant(edit));
  return { label: edits[0]?.label ?? "", revisions: numbers(edits.filter(isMeant)), later: numbers(later) };
}

interface ModuleStack {
  readonly ofModule: readonly RevisionRecord[];
  readonly edits: readonly RevisionRecord[];
}

/** Each change is made from what the one before it left. */
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

/** Of what the module held before a revision. At first it held the program's text; what is not known is not trusted. */
function originBefore(
  revision: number,
  ofModule: readonly RevisionRecord[],
): Pick<RevisionRecord, "trust" | "external"> {
  const before = ofModule.find((candidate) => candidate.revision === revision - 1);
  return { trust: before?.trust ?? (revision === 1 ? "user" : "external"), external: before?.external ?? [] };
}
