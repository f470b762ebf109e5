// Runs a consolidation: reads what is new, begins the run, gets the model's operations, and stores them.
// Invariant: the run is stored before the model is called. Its input counts as read only once its operations are
// stored: after a killed run, the next run reads the same input again. No transaction is open during the call.
import type { Upkeep } from "../../agent/turn.ts";
import { roomForRows } from "../../context/consolidate.ts";
import { LimitError, RequestError } from "../../base/errors.ts";
import { dollarsOf, noUsage, type Usage } from "../../base/message/message.ts";
import { answerSchema, requestHead, rowLine } from "../../memory/consolidation/request-rows.ts";
import type { AgentRecord } from "../../store/port/records.ts";
import type {
  ConsolidationRecord,
  NewConsolidation,
  StoredConsolidation,
} from "../../store/port/consolidation-store.ts";
import { findAgent } from "../agents/find-agent.ts";
import { summarizerOf } from "../operations/opening/agent-models.ts";
import { calibrationOf } from "../operations/opening/calibration-of.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";
import { synthesizer } from "../synopsis/refresh-synopsis.ts";
import { claimMs, type ProposalInput, proposeOperations } from "./propose-operations.ts";
import {
  areUnchanged,
  type ChosenRows,
  chooseRows,
  type ConsolidationNews,
  readNews,
  requireConsolidation,
} from "./read-memory.ts";
import { applyOperations, commitRun, noEffect, refused, statusOf } from "./review-consolidation.ts";

export type ConsolidationDeps = Pick<
  OperationDeps,
  "store" | "defaults" | "models" | "memories" | "turns" | "ids" | "clock"
>;

export interface RunOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * For a run that was not requested: milliseconds without a message before the run begins. The run does not begin
   * while proposals wait for a review, a turn runs, or another process consolidates.
   */
  readonly idleMs?: number;
}

/** Returns the run; null, without a model call, if no run begins. */
export async function runConsolidation(
  deps: ConsolidationDeps,
  agent: AgentRecord,
  { signal, idleMs }: RunOptions = {},
): Promise<ConsolidationRecord | null> {
  if (agent.settings.consolidation === "off") throw refused("the setting `consolidation` of the agent is off");
  const news = await readNews(deps, agent.id);
  if (news === null || (idleMs !== undefined && !isWanted(news, agent, deps.clock.now().getTime() - idleMs)))
    return null;
  await summarizerOf(deps, agent).prepare?.(signal);
  const { model, name, count } = synthesizer(deps, agent);
  const reached = await deps.turns.reachedLimit(name);
  if (reached !== null) throw new LimitError(reached);
  const { scale } = await calibrationOf(deps, name);
  const chosen = chooseRows(news, { tokens: roomForRows(scale.counted(model.contextWindow)), count });
  signal?.throwIfAborted();
  const isAsked = idleMs === undefined;
  const run = await begin(deps, agent, { news, chosen, model: name, unlessTurn: !isAsked });
  if (run === null) return null;
  const head = requestHead({ ...news, similar: chosen.similar, now: run.createdAt });
  const { maxOutputTokens } = agent.settings;
  const request = { model, head, lines: chosen.rows.map(rowLine), schema: answerSchema(), maxOutputTokens, signal };
  const ended = await askAndEnd(deps, { run, request, chosen, modules: news.modules }, isAsked);
  return signal?.aborted === true ? ended : appliedAtOnce(deps, agent, ended);
}

/** Applies the operations that need no review if the setting `consolidation` is `auto`. */
async function appliedAtOnce(
  deps: ConsolidationDeps,
  agent: AgentRecord,
  ended: ConsolidationRecord,
): Promise<ConsolidationRecord> {
  const isSafe = ended.operations.some((one) => one.status === "proposed" && !one.needsReview);
  return agent.settings.consolidation === "auto" && isSafe ? applySafe(deps, agent, ended) : ended;
}

type Beginning = Pick<NewConsolidation, "model" | "unlessTurn"> & {
  readonly news: ConsolidationNews;
  readonly chosen: ChosenRows;
};

/** Stores the run. If it cannot begin any more, returns null for an unrequested run, and throws for a requested one. */
async function begin(
  deps: ConsolidationDeps,
  { id: agentId }: AgentRecord,
  { news: { signals, last, forgettings }, chosen: { rows, ranges }, ...given }: Beginning,
): Promise<StoredConsolidation | null> {
  const now = deps.clock.now();
  const facts = {
    id: deps.ids.next(),
    agentId,
    signals,
    ranges,
    createdAt: now,
    claimedUntil: new Date(now.getTime() + claimMs),
  };
  if (await deps.store.consolidations.begin({ ...facts, after: last?.id ?? null, forgettings, ...given })) {
    const run = await requireConsolidation(deps, facts.id);
    // A forgetting may have ended the run already. The count `forgettings` may lack an earlier one, so texts are compared.
    if (run.status === "running") {
      if (await areUnchanged(deps, agentId, rows)) return run;
      await fail(deps, run, { reason: "Memory has changed since it was read.", usage: noUsage });
    }
  }
  if (given.unlessTurn) return null;
  throw refused(
    "another process consolidates the agent's memory or has just done so, or a text was forgotten or changed meanwhile",
  );
}

/** Returns whether an unrequested run begins: no message is newer than `idleAt`, and the last run is reviewed. */
function isWanted({ last, messages }: ConsolidationNews, { settings }: AgentRecord, idleAt: number): boolean {
  const isReviewed = settings.consolidation === "auto" || last?.status !== "proposed";
  return isReviewed && messages.every(({ row }) => row.at.getTime() <= idleAt);
}

/** Stores the proposals. If a run that was not requested is interrupted in its second call, returns the stored run. */
async function askAndEnd(
  deps: ConsolidationDeps,
  input: ProposalInput,
  isAsked: boolean,
): Promise<ConsolidationRecord> {
  const { run, request } = input;
  const proposal = await proposeOperations(deps, input).catch(async (error: unknown) => {
    await fail(deps, run, { reason: "The run was interrupted.", usage: noUsage });
    throw error;
  });
  if (proposal.type === "failed") {
    await fail(deps, run, proposal);
    throw refused(`the model gave no operations: ${proposal.reason}`);
  }
  const { operations, reason, usage, thrown } = proposal;
  const ended = await end(deps, run, { operations, status: statusOf(operations), reason, usage });
  if (thrown !== null && (isAsked || request.signal?.aborted !== true)) throw thrown.error;
  return ended;
}

type Ended = Pick<ConsolidationRecord, "operations" | "reason" | "usage"> & {
  readonly status: Exclude<ConsolidationRecord["status"], "running">;
};

async function fail(
  deps: ConsolidationDeps,
  run: StoredConsolidation,
  { reason, usage }: { readonly reason: string; readonly usage: Usage },
): Promise<void> {
  await end(deps, run, { status: "failed", operations: [], reason, usage });
}

async function end(
  { store, models, clock }: ConsolidationDeps,
  run: StoredConsolidation,
  ended: Ended,
): Promise<ConsolidationRecord> {
  const price = models.priceOf(run.model);
  const dollars = price === null ? null : dollarsOf(ended.usage, price);
  return commitRun({ store }, run, { next: { ...ended, dollars, endedAt: clock.now() }, effect: noEffect });
}

/** Applies the operations that need no review. If a turn runs, all operations wait for a review. */
async function applySafe(
  deps: ConsolidationDeps,
  agent: AgentRecord,
  run: ConsolidationRecord,
): Promise<ConsolidationRecord> {
  try {
    const applied = await applyOperations(deps, run.id, { isChosen: () => true, isAuto: true });
    deps.memories.archiveOf(agent).embedPending();
    return applied;
  } catch (error) {
    if (error instanceof RequestError && error.code === "agent_busy") return run;
    throw error;
  }
}

/**
 * Runs a consolidation that a schedule begins; null if no run begins. Throws RequestError `agent_busy` if a turn of this
 * process ends the run before anything is proposed, and `runtime_closing` if closing the runtime ends it.
 */
export async function runUnasked(deps: OperationDeps, agent: AgentRecord): Promise<ConsolidationRecord | null> {
  const interruption = { stage: deps.background.stageOf(workOf(agent)), reason: turnBegan };
  return deps.background.runInterruptibly(interruption, (signal) =>
    runConsolidation(deps, agent, { signal, idleMs: 0 }),
  );
}

/** Returns the upkeep that ends a scheduled consolidation when a turn begins and, if set, consolidates after an idle time. */
export function consolidationUpkeep(deps: OperationDeps, agent: AgentRecord): readonly Upkeep[] {
  const { id, settings } = agent;
  const { consolidation, consolidationIdleMinutes: minutes } = settings;
  const work = workOf(agent);
  const stage = deps.background.stageOf(work);
  if (minutes === null || consolidation === "off") return [stage];
  const idleMs = minutes * 60_000;
  const whenIdle: Upkeep = {
    beforeTurn: () => deps.background.interrupt(work),
    afterTurn: () =>
      deps.background.runWhenIdle(work, idleMs, async (signal) => {
        await runConsolidation(deps, await findAgent(deps, id), { signal, idleMs });
      }),
  };
  return [stage, whenIdle];
}

/** The name of the agent's background work that a turn interrupts. */
function workOf({ name }: AgentRecord): string {
  return `The consolidation of "${name}"`;
}

function turnBegan(): RequestError {
  return new RequestError(
    "agent_busy",
    "A turn of the agent began before the consolidation was over. Memory is unchanged; the next run reads the same rows again.",
  );
}
