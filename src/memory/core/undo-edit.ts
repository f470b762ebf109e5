// Reverts changes of core memory: the last one, or a named revision.
// Invariant: nothing is erased: a revert is a new revision that names the one it undoes.
import { form, type OptionsOf, type RecordOf } from "../../base/arguments/forms.ts";
import { ModuleAppendOnlyError, ModuleReadOnlyError, RequestError } from "../../base/errors.ts";
import { type ChangeCause, type ModuleRecord, revisionFields, type RevisionRecord } from "../../store/port/records.ts";
import type { ModuleStore } from "../../store/port/agent-store.ts";
import { moduleOf } from "./module-history.ts";
import { planRevert, editsInForce } from "./plan-revert.ts";

/** Number of revisions searched for a change to undo. */
const depth = 1000;

export const undoOptions = {
  /**
   * The number of the revision to undo, which requires `label`. Default: the newest edit that has not been undone;
   * without a label, the newest one that the user is allowed to undo.
   */
  revision: form.ordinal,
  /** Whether to also revert later edits of the lines that the revision wrote. If false, such edits prevent the undo. */
  force: form.flag,
};

export interface UndoOptions extends OptionsOf<typeof undoOptions> {}

/** The revision that was reverted. */
export const undoneRevisionFields = {
  ...revisionFields,
  /** Later edits that depended on the revision and were reverted with it, newest first. */
  later: form.records(revisionFields),
};

export interface UndoneRevision extends RecordOf<typeof undoneRevisionFields> {}

export interface UndoRequest extends UndoOptions {
  readonly agentId: string;
  readonly label?: string;
}

/**
 * Reverts a change and returns it; null if no revision is named and no change is left to undo. If no module is named,
 * skips modules in which the user is not allowed to undo. Throws DependentEditsError; ModuleNotFoundError;
 * ModuleReadOnlyError; ModuleAppendOnlyError; RequestError `revision_not_found`, or `undo_refused` for a revision that
 * is already reverted or is itself a revert, or whose lines exceed the limit; and RevisionConflictError if the module
 * changed concurrently. After an error, nothing has changed.
 */
export async function undoEdit(
  modules: ModuleStore,
  request: UndoRequest,
  cause: ChangeCause = { origin: "user" },
): Promise<UndoneRevision | null> {
  const { agentId, label: wanted, revision, force = false } = request;
  const records = await modules.list(agentId);
  const revisions = await revisionsFor(modules, records, request);
  const edits = revision === undefined ? editsInForce(revisions) : [namedEdit(revisions, revision)];
  const refusals = new Map<string, Error>();
  for (const meant of edits) {
    if (refusals.has(meant.label)) continue;
    const ofModule = revisions.filter(({ label }) => label === meant.label);
    const plan = planRevert(ofModule, {
      isSelected: (one) => one === meant,
      moduleOf: (label) => moduleOf(records, label),
      later: force ? "revert" : "refuse",
    });
    try {
      await modules.change(agentId, plan.changes, cause);
      return { ...meant, later: plan.edits.filter((edit) => edit !== meant) };
    } catch (error) {
      const isRefused = error instanceof ModuleReadOnlyError || error instanceof ModuleAppendOnlyError;
      if (!isRefused || wanted !== undefined) throw error;
      refusals.set(meant.label, error);
    }
  }
  const [refusal] = refusals.values();
  if (refusal !== undefined) throw refusal;
  return null;
}

async function revisionsFor(
  modules: ModuleStore,
  records: readonly ModuleRecord[],
  { agentId, label, revision }: UndoRequest,
): Promise<readonly RevisionRecord[]> {
  if (label !== undefined) moduleOf(records, label);
  if (revision === undefined)
    return modules.revisions(agentId, { limit: depth, ...(label === undefined ? {} : { label }) });
  if (label === undefined || !Number.isInteger(revision) || revision < 1) {
    throw new RequestError(
      "input_invalid",
      `Expected a module and a revision number, 1 or more, got ${label ?? "no module"} and ${revision}.`,
    );
  }
  // Reads all revisions that may depend on the reverted one, and the revision before it.
  return modules.revisions(agentId, { label, from: revision - 1, limit: Number.MAX_SAFE_INTEGER });
}

function namedEdit(revisions: readonly RevisionRecord[], number: number): RevisionRecord {
  const found = revisions.find(({ revision }) => revision === number);
  if (found === undefined) {
    throw new RequestError(
      "revision_not_found",
      `There is no revision ${number}. \`runtime.memory.revisions()\` lists the revisions.`,
    );
  }
  if (editsInForce(revisions).includes(found)) return found;
  throw new RequestError(
    "undo_refused",
    `Nothing was changed: revision ${number} of "${found.label}" ${whyNot(found)}.`,
  );
}

function whyNot({ before, after, undoes }: RevisionRecord): string {
  if (undoes !== null) return `reverts revision ${undoes}: to restore it, set the text that revision ${undoes} made`;
  return before === after ? "did not change the text" : "is already reverted";
}
