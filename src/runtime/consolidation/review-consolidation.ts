// Applies, rejects and undoes the operations of a run.
// Invariant: every operation is checked again on the current memory. One transaction applies the operations, and only if
// nothing that it changes has changed since it was read. So it never overwrites a concurrent change.
import { RequestError, RevisionConflictError } from "../../base/errors.ts";
import { forgottenMark } from "../../base/redactor.ts";
import { checkOperations } from "../../memory/consolidation/check-operations.ts";
import { isEditedBy, planOperations } from "../../memory/consolidation/plan-operations.ts";
import { planRevert } from "../../memory/core/plan-revert.ts";
import type {
  ConsolidationCommit,
  ConsolidationOperation,
  ConsolidationRecord,
  PassageLink,
  StoredConsolidation,
} from "../../store/port/consolidation-store.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";
import { readNamed, requireConsolidation } from "./read-memory.ts";

export type ReviewDeps = Pick<OperationDeps, "store" | "ids" | "clock">;

/** The tool name of a consolidation's revisions. Their call id is the id of the run. */
export const consolidateTool = "consolidate";

/** Maximum attempts while memory changes concurrently, and the pause between two attempts in milliseconds. */
const maxAttempts = 5;
const pauseMs = 20;

type Choice = (operation: ConsolidationOperation, number: number) => boolean;

/** Returns a filter that chooses operations by their numbers, from 1; without numbers, it chooses all. */
export function byNumber(numbers: readonly number[] | undefined): Choice {
  return (_operation, number) => numbers === undefined || numbers.includes(number);
}

/** Applies the chosen operations that wait, and returns the run. `isAuto`: only operations that need no review. */
export async function applyOperations(
  deps: ReviewDeps,
  id: string,
  { isChosen, isAuto }: { readonly isChosen: Choice; readonly isAuto: boolean },
): Promise<ConsolidationRecord> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await applyOnce(deps, await requireConsolidation(deps, id), { isChosen, isAuto });
    } catch (error) {
      const isChanged =
        error instanceof RevisionConflictError || (error instanceof RequestError && error.code === "agent_busy");
      if (!isChanged || attempt === maxAttempts) throw error;
      await deps.clock.sleep(pauseMs);
    }
  }
}

async function applyOnce(
  deps: ReviewDeps,
  run: StoredConsolidation,
  { isChosen, isAuto }: { readonly isChosen: Choice; readonly isAuto: boolean },
): Promise<ConsolidationRecord> {
  const chosen = waitingOf(
    run,
    (operation, number) => isChosen(operation, number) && !(isAuto && operation.needsReview),
  );
  const memory = await readNamed(deps, run.agentId, chosen);
  const checked = checkOperations(chosen, memory).map((one) =>
    isAuto && one.needsReview ? { ...one, status: "dropped" as const } : one,
  );
  const valid = checked.filter(({ status }) => status === "proposed");
  const plan = planOperations(valid, { ...memory, ids: deps.ids, now: deps.clock.now() });
  const reviewed = new Map(chosen.map((operation, place) => [operation, checked[place]!]));
  const applied = new Map(valid.map((operation, place) => [operation, plan.operations[place]!]));
  const operations = run.operations.map((operation) => {
    const verdict = reviewed.get(operation);
    return verdict === undefined ? operation : (applied.get(verdict) ?? verdict);
  });
  const { changes, passages, links, kept } = plan;
  const cause = { origin: "model", toolName: consolidateTool, callId: run.id } as const;
  return commitReviewed(deps, run, { operations, changes, passages, links, kept, cause, undone: null });
}

/** Rejects the chosen operations that wait, and returns the run. */
export async function rejectOperations(deps: ReviewDeps, id: string, isChosen: Choice): Promise<ConsolidationRecord> {
  const run = await requireConsolidation(deps, id);
  const chosen = waitingOf(run, isChosen);
  const operations = run.operations.map((one) =>
    chosen.includes(one) ? { ...one, status: "rejected" as const } : one,
  );
  return commitReviewed(deps, run, { ...noEffect, operations });
}

/** Restores memory as it was before the run, and returns the run. Operations that wait are rejected. */
export async function undoConsolidation(deps: ReviewDeps, id: string): Promise<ConsolidationRecord> {
  const run = await requireConsolidation(deps, id);
  const applied = run.operations.filter(({ status }) => status === "applied");
  if (applied.length === 0) throw refused("no operation of the consolidation is applied, so there is nothing to undo");
  const { store } = deps;
  const modules = await store.modules.list(run.agentId);
  const all = await store.modules.revisions(run.agentId, { limit: Number.MAX_SAFE_INTEGER });
  const isOwn = ({ toolName, callId }: (typeof all)[number]) => toolName === consolidateTool && callId === run.id;
  const own = all.filter(isOwn);
  const lost = applied.find((operation) => !isEditedBy(operation, own));
  if (lost !== undefined) throw undoRefused(lost);
  const labels = new Set(own.map(({ label }) => label));
  const { changes } = planRevert(
    all.filter(({ label }) => labels.has(label)),
    {
      isSelected: isOwn,
      moduleOf: (label) => modules.find((module) => module.label === label)!,
      later: "refuse",
    },
  );
  const operations = run.operations.map((operation): ConsolidationOperation => {
    if (operation.status === "applied") return { ...operation, status: "undone" };
    return operation.status === "proposed" ? { ...operation, status: "rejected" } : operation;
  });
  const undone = { links: applied.flatMap(({ replaced }) => replaced), needed: applied.flatMap(replacedPassages) };
  return commitReviewed(deps, run, { ...noEffect, operations, changes, undone });
}

/** Returns the links of the passages that an applied operation replaced, except of passages that were forgotten since. */
function replacedPassages({ targets, replaced }: ConsolidationOperation): readonly PassageLink[] {
  const kept = targets.filter(({ kind, text }) => kind === "passage" && !text.includes(forgottenMark));
  return replaced.filter((link) => kept.some(({ id }) => id === link.id));
}

/** Returns the error for an undo that could not restore the lines of an operation, but would delete their archived copies. */
function undoRefused({ targets, module }: ConsolidationOperation): RequestError {
  const label = module ?? targets[0]?.id ?? "";
  return new RequestError(
    "undo_refused",
    `Nothing was changed: the revision of "${label}" that the consolidation made is not available, because retention dropped it, or the module is detached or deleted. Attach the module again, or edit memory yourself: \`runtime.consolidation.find()\` shows the lines.`,
  );
}

type Effect = Pick<ConsolidationCommit, "changes" | "cause" | "passages" | "links" | "kept" | "undone">;

/** The effect of a commit that changes only the record of the run, and nothing in memory. */
export const noEffect: Effect = {
  changes: [],
  passages: [],
  links: [],
  kept: [],
  cause: { origin: "user" },
  undone: null,
};

function commitReviewed(
  deps: ReviewDeps,
  run: StoredConsolidation,
  { operations, ...effect }: Effect & { readonly operations: readonly ConsolidationOperation[] },
): Promise<ConsolidationRecord> {
  return commitRun(deps, run, { next: { operations, status: statusOf(operations) }, effect });
}

/** Stores the next state of a run with its effect on memory, and returns the run. */
export async function commitRun(
  { store }: Pick<ReviewDeps, "store">,
  run: StoredConsolidation,
  { next, effect }: { readonly next: ConsolidationCommit["next"]; readonly effect: Effect },
): Promise<ConsolidationRecord> {
  await store.consolidations.commit({ run, next, ...effect });
  const { ranges: _ranges, version: _version, ...record } = run;
  return { ...record, ...next };
}

export function statusOf(
  operations: readonly ConsolidationOperation[],
): "proposed" | "undone" | "applied" | "rejected" {
  const has = (wanted: ConsolidationOperation["status"]) => operations.some(({ status }) => status === wanted);
  if (has("proposed")) return "proposed";
  if (has("undone")) return "undone";
  return has("applied") || !has("rejected") ? "applied" : "rejected";
}

/** Returns the chosen operations that wait for a review. Throws RequestError `consolidation_refused` if there are none. */
function waitingOf({ operations }: StoredConsolidation, isChosen: Choice): readonly ConsolidationOperation[] {
  const waiting = operations.filter((operation, at) => operation.status === "proposed" && isChosen(operation, at + 1));
  if (waiting.length > 0) return waiting;
  const chosen = operations.flatMap((operation, at) =>
    isChosen(operation, at + 1) ? [`operation ${at + 1}, which is ${operation.status}`] : [],
  );
  throw refused(`expected operations that wait for a review, got ${chosen.join(", ") || "no operation"}`);
}

export function refused(reason: string): RequestError {
  return new RequestError(
    "consolidation_refused",
    `Nothing was changed: ${reason}. \`runtime.consolidation.list()\` lists the consolidations of an agent.`,
  );
}
