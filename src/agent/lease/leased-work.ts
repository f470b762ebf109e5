// What steps a conversation or changes it between turns: one thing at a time, each under the conversation's lease.
// Invariant: the lease is let go when the work ends, however it ends; work whose lease was lost does not pass as done.
import { createQueue } from "../../base/queue.ts";
import type { TurnOptions } from "../agent.ts";
import { awaitLease, type LeaseRequest } from "./await-lease.ts";
import type { AgentEvent } from "../events.ts";
import { keepLease } from "./keep-lease.ts";
import { runTurn, type TurnOpening } from "../run-turn.ts";
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
function turnLimits({ agent, price }: AgentDeps, request: StepOptions): Pick<TurnStart, "budget" | "maxSteps"> {
  const { maxTurnTokens, maxTurnDollars, maxSteps } = agent.settings;
  const isLimited = request.budget !== undefined || maxTurnTokens !== null || maxTurnDollars !== null;
  return {
    budget: isLimited ? turnBudget(agent, price, request.budget) : null,
    maxSteps: request.maxSteps === undefined ? maxSteps : turnSteps(request.maxSteps),
  };
}
