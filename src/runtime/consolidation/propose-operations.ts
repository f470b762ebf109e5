// Gets the operations of a run: asks the model, checks its answer, and asks once more about the operations that were dropped.
// Invariant: operations that passed the first check stay as they are, even if the second call fails. No transaction is open
// during a call.
import { askForOperations, type ConsolidationAnswer, type ConsolidationRequest } from "../../context/consolidate.ts";
import { addUsage, noUsage, type Usage } from "../../base/message/message.ts";
import { checkOperations, type ProposedOperation } from "../../memory/consolidation/check-operations.ts";
import { droppedLine, readOperations } from "../../memory/consolidation/request-rows.ts";
import type { ModuleLines } from "../../memory/consolidation/signals.ts";
import type {
  ConsolidationOperation,
  ConsolidationRecord,
  StoredConsolidation,
} from "../../store/port/consolidation-store.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";
import { type ChosenRows, passagesLike, requireConsolidation } from "./read-memory.ts";

type ProposalDeps = Pick<OperationDeps, "store" | "turns" | "clock">;

/** Milliseconds after which another process may take over the run: longer than two calls of a slow local model. */
export const claimMs = 900_000;

export interface ProposalInput {
  readonly run: StoredConsolidation;
  readonly request: Omit<ConsolidationRequest, "correction">;
  readonly chosen: ChosenRows;
  readonly modules: readonly ModuleLines[];
}

export type Proposal =
  /** `thrown`: what the second call threw, such as the reason of an abort; null if it did not throw. */
  | (Pick<ConsolidationRecord, "operations" | "usage" | "reason"> & {
      readonly type: "made";
      readonly thrown: { readonly error: unknown } | null;
    })
  | { readonly type: "failed"; readonly reason: string; readonly usage: Usage };

/** Returns the checked operations, or why there are none. Throws only if the first call or its checks throw. */
export async function proposeOperations(deps: ProposalDeps, input: ProposalInput): Promise<Proposal> {
  const answer = await askForOperations(input.request);
  const { usage } = answer;
  const first = await checkAnswer(deps, input, answer, []);
  if (typeof first === "string") return { type: "failed", reason: first, usage };
  const second = await correct(deps, input, { ...first, usage }).catch((error: unknown) => ({
    ...uncorrected("the call was interrupted."),
    thrown: { error },
  }));
  const unreadable = first.unreadable + second.unreadable;
  const wrong = `Operations that were ignored because of a wrong form or an unknown row: ${unreadable}.`;
  const reasons = [...(unreadable === 0 ? [] : [wrong]), ...second.reasons];
  return {
    type: "made",
    operations: [...first.operations, ...second.operations],
    usage: addUsage(usage, second.usage),
    reason: reasons.length === 0 ? null : reasons.join(" "),
    thrown: second.thrown,
  };
}

interface Checked {
  /** The answer as the model wrote it. */
  readonly text: string;
  readonly operations: readonly ConsolidationOperation[];
  readonly unreadable: number;
}

/**
 * Returns the operations of an answer that are not in `earlier`, checked as if they followed the operations of `earlier`
 * that passed the check; or the reason why there are none.
 */
async function checkAnswer(
  deps: ProposalDeps,
  { run, chosen, modules }: ProposalInput,
  answer: ConsolidationAnswer,
  earlier: readonly ConsolidationOperation[],
): Promise<Checked | string> {
  if (answer.type === "failed") return answer.reason;
  const read = readOperations(answer.json, chosen.rows);
  if (read === null) return "the answer has no list of operations";
  const known = new Set(earlier.map(contentOf));
  const passed = earlier.filter(({ status }) => status === "proposed");
  const made = read.operations.filter((operation) => !known.has(contentOf(operation)));
  const rows = [...chosen.rows, ...(await passagesLike(deps, run.agentId, made))];
  const checked = checkOperations([...passed, ...made], { rows, modules, now: deps.clock.now() });
  return { text: answer.text, operations: checked.slice(passed.length), unreadable: read.unreadable };
}

function contentOf({ kind, targets, texts, module, evidence }: ProposedOperation): string {
  return JSON.stringify([kind, targets, texts, module, evidence]);
}

interface Corrected extends Omit<Checked, "text"> {
  readonly usage: Usage;
  readonly reasons: readonly string[];
  readonly thrown: Extract<Proposal, { type: "made" }>["thrown"];
}

const none: Corrected = { operations: [], unreadable: 0, usage: noUsage, reasons: [], thrown: null };

const uncorrected = (reason: string): Corrected => ({
  ...none,
  reasons: [`The model was asked to correct the dropped operations, without success: ${reason}`],
});

/** Asks the model to correct the operations that were dropped; without a call if there are none, or if no call is allowed. */
async function correct(
  deps: ProposalDeps,
  input: ProposalInput,
  { text, operations, usage }: Checked & { readonly usage: Usage },
): Promise<Corrected> {
  const dropped = operations.filter(({ status }) => status === "dropped");
  if (dropped.length === 0 || !(await mayAskAgain(deps, input.run, usage))) return none;
  const lines = dropped.map((operation) => droppedLine(operation, input.chosen.rows));
  const second = await askForOperations({ ...input.request, correction: { answer: text, dropped: lines } });
  const checked = await checkAnswer(deps, input, second, operations);
  const corrected = typeof checked === "string" ? uncorrected(checked) : { ...none, ...checked };
  return { ...corrected, usage: second.usage };
}

/** Returns whether this process still has the run and time for another call, and the user has reached no limit. */
async function mayAskAgain(deps: ProposalDeps, { id, createdAt, model }: StoredConsolidation, usage: Usage) {
  if (deps.clock.now().getTime() - createdAt.getTime() > claimMs / 2) return false;
  const { status } = await requireConsolidation(deps, id);
  return status === "running" && (await deps.turns.reachedLimit(model, usage)) === null;
}
