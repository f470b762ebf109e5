// Takes back changes of core memory: the last one, or one that is named.
// Invariant: nothing is erased: taking back is a revision of its own, which names the one that it undoes.
import { ModuleNotFoundError, RequestError } from "../../errors.ts";
import type { ModuleRecord, RevisionRecord } from "../records.ts";
import type { ModuleStore } from "../store.ts";
import { planRevert, editsInForce } from "./plan-revert.ts";

/** How far back a change to undo is looked for. */
const depth = 1000;

export interface UndoOptions {
  /** Which revision of the module; default the last that still stands. Needs a label. */
  readonly revision?: number;
  /** Takes back the later edits that stand on it as well. Otherwise they are a reason to refuse. */
  readonly force?: boolean;
}

/** The revision that was taken back. */
export interface UndoneRevision extends RevisionRecord {
  /** Edits that stood on it and were taken back with it, newest first. */
  readonly later: readonly RevisionRecord[];
}

export interface UndoRequest extends UndoOptions {
  readonly agentId: string;
  readonly label?: string;
}

/**
 * Null when no revision is named and there is none to take back. Throws DependentEditsError; ModuleNotFoundError; RequestError
 * `revision_not_found`, or `undo_refused` for one that was taken back already or takes back another; and
 * RevisionConflictError when the module changes meanwhile. Then nothing was changed.
 */
export async function undoEdit(modules: ModuleStore, request: UndoRequest): Promise<UndoneRevision | null> {
  const { agentId, force = false } = request;
  const records = await modules.list(agentId);
  const revisions = await revisionsFor(modules, records, request);
  const meant = request.revision === undefined ? editsInForce(revisions)[0] : namedEdit(revisions, request.revision);
  if (meant === undefined) return null;
  const plan = planRevert(
    revisions.filter(({ label }) => label === meant.label),
    {
      isMeant: (revision) => revision === meant,
      scopeOf: (label) => moduleOf(records, label).scope,
      later: force ? "revert" : "refuse",
    },
  );
  await modules.change(agentId, plan.changes, { origin: "user" });
  return { ...meant, later: plan.edits.filter((edit) => edit !== meant) };
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
      `Expected a module and the number of one of its revisions, 1 or more, got ${label ?? "no module"} and ${revision}.`,
    );
  }
  // All that may stand on it, and the one before.
  return modules.revisions(agentId, { label, from: revision - 1, limit: Number.MAX_SAFE_INTEGER });
}

function moduleOf(records: readonly ModuleRecord[], label: string): ModuleRecord {
  const found = records.find((module) => module.label === label);
  if (found !== undefined) return found;
  throw new ModuleNotFoundError(
    label,
    records.map((module) => module.label),
  );
}

function namedEdit(revisions: readonly RevisionRecord[], number: number): RevisionRecord {
  const found = revisions.find(({ revision }) => revision === number);
  if (found === undefined) {
    throw new RequestError(
      "revision_not_found",
      `There is no revision ${number}. \`palimpsest memory history\` shows those there are.`,
    );
  }
  if (editsInForce(revisions).includes(found)) return found;
  const reason =
    found.undoes === null
      ? "was taken back already"
      : `takes back revision ${found.undoes}: to have that again, set the text that it made`;
  throw new RequestError("undo_refused", `Nothing was changed: revision ${number} of "${found.label}" ${reason}.`);
}
