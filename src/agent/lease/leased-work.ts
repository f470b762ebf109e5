// Runs the turns of a conversation and the changes between turns: one at a time, each under the conversation's lease.
// Invariant: the lease is released when the work ends, however it ends; work that lost its lease fails.
import { createQueue } from "../../base/queue.ts";
import { RequestError } from "../../errors.ts";
import type { TurnOptions } from "../agent.ts";
import { awaitLease, type LeaseRequest } from "./await-lease.ts";
import type { AgentEvent } from "../events.ts";
import { runTurn, type TurnOpening } from "../run-turn.ts";
import type { Session } from "../session/session.ts";
import { turnBudget, turnSteps } from "../turn-budget.ts";
import { type AgentDeps, createTurn, type TurnStart } from "../turn.ts";

export interface LeasedWork {
  /** Runs a turn. `open` takes the lease and prepares the conversation for the turn. */
  turnOf(
    options: TurnOptions,
    open: (request: LeaseRequest) => AsyncGenerator<AgentEvent, TurnOpening>,
  ): AsyncGenerator<AgentEvent, void>;
  /** Runs a change of the conversation between turns. */
  change<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Runs work that needs no lease but must not overlap with turns and changes. */
  inOrder<Result>(work: () => Promise<Result>): Promise<Result>;
}

export function createLeasedWork(deps: AgentDeps): LeasedWork {
  const { session, ids, leaseMs, lookup, upkeep, turns } = deps;
  const queue = createQueue();
  return {
    async *turnOf(options, open) {
      const limits = turnLimits(deps, options);
      const running = await turns.enterTurn(deps.agent.model);
      const leave = await queue.enter();
      const lease = keepLease(session, leaseMs);
      const abandoned = new AbortController();
      const own = [abandoned.signal, lease.signal, running.signal];
      const signal = AbortSignal.any(options.signal === undefined ? own : [options.signal, ...own]);
      try {
        const opening = yield* open({ signal, waitMs: options.waitMs ?? deps.waitMs, turnId: ids.next() });
        const retrieval = (await lookup?.forInput(opening.input, session.messages, signal)) ?? null;
        const { turnId } = opening.input;
        yield* runTurn(createTurn(deps, { turnId, signal, retrieval, ...limits }), opening);
        lease.check();
      } finally {
        abandoned.abort();
        await lease.end();
        leave();
        running.leave();
        lookup?.remember(session.messages);
        for (const stage of upkeep) stage.afterTurn();
      }
    },

    change: (work) =>
      queue.run(async () => {
        const running = turns.enter();
        const lease = keepLease(session, leaseMs);
        try {
          const request = { signal: lease.signal, waitMs: deps.waitMs, turnId: ids.next() };
          for await (const _event of awaitLease(deps, request));
          return await work();
        } finally {
          await lease.end();
          running.leave();
        }
      }),

    inOrder: (work) => queue.run(work),
  };
}

/** Returns the limits of a turn from the agent's settings and the caller. Throws as `turnBudget` and `turnSteps`. */
function turnLimits(
  { agent, price }: Pick<AgentDeps, "agent" | "price">,
  request: TurnOptions,
): Pick<TurnStart, "budget" | "maxSteps"> {
  const { maxTurnTokens, maxTurnDollars, maxSteps } = agent.settings;
  const isLimited = request.budget !== undefined || maxTurnTokens !== null || maxTurnDollars !== null;
  return {
    budget: isLimited ? turnBudget(agent, price, request.budget) : null,
    maxSteps: request.maxSteps === undefined ? maxSteps : turnSteps(request.maxSteps),
  };
}

interface KeptLease {
  /** Aborted when the lease is lost. */
  readonly signal: AbortSignal;
  /** Throws RequestError `lease_lost` if it was lost. */
  check(): void;
  /** Stops the renewals and releases the lease. Does not throw. */
  end(): Promise<void>;
}

/**
 * Renews the lease while work runs under it, and releases it at the end. Aborts the work if another session took the
 * lease. Called before the lease is taken; the renewals begin once it is held.
 */
function keepLease(session: Session, leaseMs: number): KeptLease {
  const lost = new AbortController();
  // Only a lost lease ends the renewals. If the database is unreachable for longer, the next commit fails.
  const renew = async (): Promise<void> => {
    try {
      await session.renew();
    } catch (error) {
      if (error instanceof RequestError) throw error;
    }
  };
  const stop = every(leaseMs / 3, renew, (error) => lost.abort(error));
  return {
    signal: lost.signal,
    check() {
      lost.signal.throwIfAborted();
    },
    async end() {
      stop();
      // If the release fails, the lease expires; committed work stands.
      await session.release().catch(() => undefined);
    },
  };
}

/**
 * Runs `work` every `ms` milliseconds until the returned function is called. Runs never overlap, and the timer keeps no
 * process alive. The first failure ends the runs and is passed to `onFailure`.
 */
function every(ms: number, work: () => Promise<void>, onFailure: (error: unknown) => void): () => void {
  let isRunning = false;
  const stop = (): void => clearInterval(timer);
  const timer = setInterval(() => {
    if (isRunning) return;
    isRunning = true;
    work()
      .catch((error: unknown) => {
        stop();
        onFailure(error);
      })
      .finally(() => {
        isRunning = false;
      });
  }, ms);
  timer.unref();
  return stop;
}
