// What steps a conversation or changes it between turns: one thing at a time, each under the conversation's lease.
// Invariant: the lease is let go when the work ends, however it ends; work whose lease was lost does not pass as done.
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
  /** A turn. `open` takes the lease and brings the conversation to where the turn begins. */
  turnOf(
    options: TurnOptions,
    open: (request: LeaseRequest) => AsyncGenerator<AgentEvent, TurnOpening>,
  ): AsyncGenerator<AgentEvent, void>;
  /** A change of the conversation between turns. */
  change<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Something that only must not overlap with the others. */
  inOrder<Result>(work: () => Promise<Result>): Promise<Result>;
}

export function createLeasedWork(deps: AgentDeps): LeasedWork {
  const { session, ids, leaseMs, lookup, upkeep } = deps;
  const queue = createQueue();
  return {
    async *turnOf(options, open) {
      const limits = turnLimits(deps, options);
      const leave = await queue.enter();
      const lease = keepLease(session, leaseMs);
      const abandoned = new AbortController();
      const own = [abandoned.signal, lease.signal];
      const signal = AbortSignal.any(options.signal === undefined ? own : [options.signal, ...own]);
      try {
        const opening = yield* open({ signal, waitMs: options.waitMs ?? deps.waitMs, turnId: ids.next() });
        const lookedUp = (await lookup?.forInput(opening.input, session.messages, signal)) ?? null;
        const { turnId } = opening.input;
        yield* runTurn(createTurn(deps, { turnId, signal, lookedUp, ...limits }), opening);
        lease.check();
      } finally {
        abandoned.abort();
        await lease.end();
        leave();
        lookup?.remember(session.messages);
        for (const stage of upkeep) stage.afterTurn();
      }
    },

    change: (work) =>
      queue.run(async () => {
        const lease = keepLease(session, leaseMs);
        try {
          const request = { signal: lease.signal, waitMs: deps.waitMs, turnId: ids.next() };
          for await (const _event of awaitLease(deps, request));
          return await work();
        } finally {
          await lease.end();
        }
      }),

    inOrder: (work) => queue.run(work),
  };
}

/** What the agent's settings and the caller allow a turn. Throws as `turnBudget` and `turnSteps`. */
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
  /** Stops the renewals and lets others have the lease. Does not throw. */
  end(): Promise<void>;
}

/**
 * Keeps the lease alive while work goes on under it, and lets it go at the end. Work whose lease was taken over is aborted.
 * To be called before the lease is taken: it is renewed from when it is held.
 */
function keepLease(session: Session, leaseMs: number): KeptLease {
  const lost = new AbortController();
  // Only a lost lease ends the renewals: the database may be out of reach for a while, and the next commit tells.
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
      // One that cannot be let go runs out by itself, and what was done under it is done.
      await session.release().catch(() => undefined);
    },
  };
}

/**
 * Runs `work` every `ms` milliseconds until the returned function is called. Runs never overlap, and the timer keeps no process
 * alive. The first failure ends the runs and is passed to `onFailure`.
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
