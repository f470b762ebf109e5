// What steps a conversation or changes it between turns: one thing at a time, each under the conversation's lease.
// Invariant: the lease is let go when the work ends, however it ends; work whose lease was lost does not pass as done.
import { createQueue } from "../../base/queue.ts";
import type { TurnOptions } from "../agent.ts";
import { awaitLease, type LeaseRequest } from "./await-lease.ts";
import type { AgentEvent } from "../events.ts";
import { keepLease } from "./keep-lease.ts";
import { runTurn, type TurnOpening } from "../run-turn.ts";
import { turnBudget, turnSteps } from "../turn-budget.ts";
import { type AgentDeps, createTurn } from "../turn.ts";

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
  const { session, ids, leaseMs } = deps;
  const queue = createQueue();
  return {
    async *turnOf(options, open) {
      const budget = turnBudget(deps.agent, deps.price, options.budget);
      const maxSteps = turnSteps(deps.agent, options.maxSteps);
      const leave = await queue.enter();
      const lease = keepLease(session, leaseMs);
      const abandoned = new AbortController();
      const own = [abandoned.signal, lease.signal];
      const signal = AbortSignal.any(options.signal === undefined ? own : [options.signal, ...own]);
      try {
        const opening = yield* open({ signal, waitMs: options.waitMs ?? deps.waitMs, turnId: ids.next() });
        const lookedUp = await deps.lookup.forInput(opening.input, session.messages, signal);
        const { turnId } = opening.input;
        yield* runTurn(createTurn(deps, { turnId, signal, lookedUp, budget, maxSteps }), opening);
        lease.check();
      } finally {
        abandoned.abort();
        await lease.end();
        leave();
        deps.lookup.remember(session.messages);
        deps.upkeep.afterTurn();
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
