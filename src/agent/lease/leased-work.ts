// What steps a conversation or changes it between turns: one thing at a time, each under the conversation's lease.
// Invariant: the lease is let go when the work ends, however it ends; work whose lease was lost does not pass as done.
import { createQueue } from "../../base/queue.ts";
import type { StepOptions } from "../agent.ts";
import { awaitLease, type LeaseWish } from "./await-lease.ts";
import type { AgentEvent } from "../events.ts";
import { keepLease } from "./keep-lease.ts";
import { runTurn, type TurnOpening } from "../run-turn.ts";
import { turnBudget, turnSteps } from "../turn-budget.ts";
import { type AgentParts, createTurn } from "../turn.ts";

export interface LeasedWork {
  /** A turn. `open` takes the lease and brings the conversation to where the turn begins. */
  turnOf(
    options: StepOptions,
    open: (wish: LeaseWish) => AsyncGenerator<AgentEvent, TurnOpening>,
  ): AsyncGenerator<AgentEvent, void>;
  /** A change of the conversation between turns. */
  change<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Something that only must not overlap with the others. */
  inOrder<Result>(work: () => Promise<Result>): Promise<Result>;
}

export function createLeasedWork(parts: AgentParts): LeasedWork {
  const { session, ids, leaseMs } = parts;
  const queue = createQueue();
  return {
    async *turnOf(options, open) {
      const budget = turnBudget(parts.agent, parts.price, options.budget);
      const maxSteps = turnSteps(parts.agent, options.maxSteps);
      const leave = await queue.enter();
      const lease = keepLease(session, leaseMs);
      const abandoned = new AbortController();
      const own = [abandoned.signal, lease.signal];
      const signal = AbortSignal.any(options.signal === undefined ? own : [options.signal, ...own]);
      try {
        const opening = yield* open({ signal, waitMs: options.waitMs ?? parts.waitMs, turnId: ids.next() });
        const lookedUp = await parts.lookup.forInput(opening.input, session.messages, signal);
        const { turnId } = opening.input;
        yield* runTurn(createTurn(parts, { turnId, signal, lookedUp, budget, maxSteps }), opening);
        lease.check();
      } finally {
        abandoned.abort();
        await lease.end();
        leave();
        parts.lookup.remember(session.messages);
        parts.upkeep.afterTurn();
      }
    },

    change: (work) =>
      queue.run(async () => {
        const lease = keepLease(session, leaseMs);
        try {
          const wish = { signal: lease.signal, waitMs: parts.waitMs, turnId: ids.next() };
          for await (const _event of awaitLease(parts, wish));
          return await work();
        } finally {
          await lease.end();
        }
      }),

    inOrder: (work) => queue.run(work),
  };
}
