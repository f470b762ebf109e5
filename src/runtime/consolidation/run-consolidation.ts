// Runs a consolidation: reads what is new, begins the run, asks the model once, checks its operations, and stores them.
// Invariant: the run is stored before the model is called. Its input counts as read only once its operations are
// stored: after a killed run, the next run reads the same input again. No transaction is open during the call.
import type { Upkeep } from "../../agent/turn.ts";
import { askForOperations, roomForRows } from "../../context/consolidate.ts";
import { LimitError, RequestError } from "../../base/errors.ts";
import { dollarsOf, noUsage, type Usage } from "../../base/message/message.ts";
import { checkOperations } from "../../memory/consolidation/check-operations.ts";
import { answerSchema, readOperations, requestHead, rowLine } from "../../memory/consolidation/request-rows.ts";
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
import { type ChosenRows, chooseRows, type ConsolidationNews, readNews, requireConsolidation } from "./read-memory.ts";
import { applyOperations, commitRun, noEffect, refused, statusOf } from "./review-consolidation.ts";

export type ConsolidationDeps = Pick<
  OperationDeps,
  "store" | "defaults" | "models" | "memories" | "turns" | "ids" | "clock"
>;

/** Milliseconds after which another process may take over the run: longer than a call of a slow local model. */
const claimMs = 900_000;

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
  const { consolidation } = agent.settings;
  if (consolidation === "off") throw refused("the setting `consolidation` of the agent is off");
  const news = await readNews(deps, agent.id);
  if (news === null || (idleMs !== undefined && !isWanted(news, agent, deps.clock.now().getTime() - idleMs)))
    return null;
  await summarizerOf(deps, agent).prepare?.(signal);
  const { model, name, count } = synthesizer(deps, agent);
  const reached = await deps.turns.reachedLimit(name);
  if (reached !== null) throw new LimitError(reached);
  const { scale } = await calibrationOf(deps, name);
  let left = roomForRows(scale.counted(model.contextWindow));
  const chosen = chooseRows(news, (line) => (left -= count(line)) >= 0);
  const run = await begin(deps, agent, { news, ranges: chosen.ranges, model: name, unlessTurn: idleMs !== undefined });
  if (run === null) return null;
  const ended = await askAndEnd(
    deps,
    run,
    async () => {
      const { maxOutputTokens } = agent.settings;
      const head = requestHead(news.signals, news.modules, run.createdAt);
      const lines = chosen.rows.map(rowLine);
      return askForOperations({ model, head, lines, schema: answerSchema(), maxOutputTokens, signal });
    },
    { chosen, modules: news.modules },
  );
  if (consolidation !== "auto" || !ended.operations.some((one) => one.status === "proposed" && !one.needsReview))
    return ended;
  return applySafe(deps, agent, ended);
}

type Beginning = Pick<NewConsolidation, "ranges" | "model" | "unlessTurn"> & { readonly news: ConsolidationNews };

/** Stores the run. If it cannot begin any more, returns null for an unrequested run, and throws for a requested one. */
async function begin(
  deps: Pick<ConsolidationDeps, "store" | "ids" | "clock">,
  { id: agentId }: AgentRecord,
  { news: { signals, last }, ...given }: Beginning,
): Promise<StoredConsolidation | null> {
  const now = deps.clock.now();
  const run = { id: deps.ids.next(), agentId, signals, createdAt: now, after: last?.id ?? null, ...given };
  if (await deps.store.consolidations.begin({ ...run, claimedUntil: new Date(now.getTime() + claimMs) }))
    return requireConsolidation(deps, run.id);
  if (given.unlessTurn) return null;
  throw refused("another process consolidates the agent's memory, or has just done so");
}

/** Returns whether an unrequested run begins: no message is newer than `idleAt`, and the last run is reviewed. */
function isWanted({ last, messages }: ConsolidationNews, { settings }: AgentRecord, idleAt: number): boolean {
  const isReviewed = settings.consolidation === "auto" || last?.status !== "proposed";
  return isReviewed && messages.every(({ row }) => row.at.getTime() <= idleAt);
}

type Answer = Awaited<ReturnType<typeof askForOperations>>;

async function askAndEnd(
  deps: ConsolidationDeps,
  run: StoredConsolidation,
  ask: () => Promise<Answer>,
  {
    chosen,
    modules,
  }: { readonly chosen: ChosenRows; readonly modules: Parameters<typeof checkOperations>[1]["modules"] },
): Promise<ConsolidationRecord> {
  const answer = await ask().catch(async (error: unknown) => {
    await fail(deps, run, { reason: "It was interrupted.", usage: noUsage });
    throw error;
  });
  const read = answer.type === "made" ? readOperations(answer.json, chosen.rows) : null;
  if (read === null) {
    const reason = answer.type === "failed" ? answer.reason : "the answer has no list of operations";
    await fail(deps, run, { reason, usage: answer.usage });
    throw refused(`the model gave no operations: ${reason}`);
  }
  const operations = checkOperations(read.operations, { rows: chosen.rows, modules, now: deps.clock.now() });
  const wrong = `Operations of the answer that were ignored, because of a wrong form or an unknown row: ${read.unreadable}.`;
  const next = { operations, status: statusOf(operations), reason: read.unreadable === 0 ? null : wrong };
  return end(deps, run, { ...next, usage: answer.usage });
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

/** Returns the work that consolidates memory when no turn has run for a while; null for consolidation on request. */
export function consolidationUpkeep(deps: OperationDeps, { id, name, settings }: AgentRecord): Upkeep | null {
  const { consolidation, consolidationIdleMinutes: minutes } = settings;
  if (minutes === null || consolidation === "off") return null;
  const [work, idleMs] = [`The consolidation of "${name}"`, minutes * 60_000];
  return {
    beforeTurn: () => deps.background.interrupt(work),
    afterTurn: () =>
      deps.background.runWhenIdle(work, idleMs, async (signal) => {
        await runConsolidation(deps, await findAgent(deps, id), { signal, idleMs });
      }),
  };
}
