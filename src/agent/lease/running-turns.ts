// Tracks the turns and changes that run in one runtime, so that closing the runtime can wait for them; admits turns
// within the limits of the user, counts them, and shows them to observers.
// Invariant: each requested turn is counted once, as refused, failed or ended. No turn begins after `close` was called,
// and running turns end before the store is closed.
import { within } from "../../base/clock.ts";
import { LimitError, type ReachedLimit, RequestError } from "../../base/errors.ts";
import type { AgentRecord } from "../../store/port/records.ts";
import { addUsage, noUsage, type Usage } from "../../base/message/message.ts";
import type { AgentEvent, StopReason } from "../events.ts";
import type { UserLimiter } from "../user-limits.ts";

export interface RunningTurns {
  /** Registers a change of a conversation. After `close`, throws RequestError `runtime_closing`, with nothing written. */
  enter(): RunningTurn;
  /**
   * Registers a turn like `enter`. Also throws LimitError if the user has reached a limit, and ConfigError if the user has a
   * limit in dollars and a model's price is unknown, with nothing written.
   */
  enterTurn(turn: ObservedTurn): Promise<ObservedRunningTurn>;
  /**
   * Returns the daily limit that the user has reached, or null. `pending`: usage of the model that is not stored yet. Throws
   * ConfigError like `enterTurn`.
   */
  reachedLimit(model: string, pending?: Usage): Promise<ReachedLimit | null>;
  /**
   * Waits up to `graceMs` milliseconds for running turns, then aborts those that still run; the next process continues them.
   * Resolves when no turn runs, at the latest 2 seconds after the abort.
   */
  close(graceMs: number): Promise<void>;
}

/** Facts about a turn that are known before it begins. */
export interface ObservedTurn {
  readonly agent: Pick<AgentRecord, "id" | "name" | "model">;
  readonly conversationId: string;
}

/** Observes one turn. The functions must be fast and must not throw. */
export interface TurnObserver {
  /** Called for each event, when it happens. */
  saw(event: AgentEvent): void;
  /** Called once when the turn is over, even if it was refused, or threw instead of emitting `turn-end`. */
  left(): void;
}

/** Called for each requested turn, before its limits are checked. Returns the observer of this turn. */
export type ObserveTurn = (turn: ObservedTurn) => TurnObserver;

export interface ObservedRunningTurn extends RunningTurn {
  /** Yields the events of the turn. Each event is passed to the observers first. */
  follow(events: AsyncGenerator<AgentEvent, void>): AsyncGenerator<AgentEvent, void>;
}

/** Numbers of turns, model calls and tokens of all runtimes that share this object. `turns` counts each turn in one field. */
export interface TurnTotals {
  turns: { waiting: number; running: number; refused: number; failed: number; ended: Record<StopReason, number> };
  /** Number of model calls of turns that ended. */
  modelCalls: number;
  tokens: Usage;
}

export interface RunningTurnsOptions {
  readonly totals: TurnTotals;
  /** The user's limiter; null for a user without limits. */
  readonly limiter: UserLimiter | null;
  readonly observers: readonly ObserveTurn[];
}

export interface RunningTurn {
  /** Aborted when the runtime stops waiting for the turn. */
  readonly signal: AbortSignal;
  leave(): void;
}

export function createTurnTotals(): TurnTotals {
  const turns = { waiting: 0, running: 0, refused: 0, failed: 0, ended: { ...noneEnded } };
  return { turns, modelCalls: 0, tokens: noUsage };
}

const noneEnded: TurnTotals["turns"]["ended"] = {
  "end-turn": 0,
  "max-steps": 0,
  budget: 0,
  length: 0,
  refusal: 0,
  interrupted: 0,
  "tool-rule": 0,
  "awaiting-approval": 0,
  "awaiting-result": 0,
  "awaiting-reply": 0,
  "model-error": 0,
  "context-overflow": 0,
};

/** Maximum milliseconds to wait until aborted turns have ended. */
const leavingMs = 2000;

export function createRunningTurns({ limiter, totals, observers }: RunningTurnsOptions): RunningTurns {
  const running = new Set<RunningTurn>();
  const turns = new Set<RunningTurn>();
  const closing = new AbortController();
  let isClosing = false;
  let reportEmpty: () => void = () => undefined;

  /** Resolves when no turn is running, or after `ms`. */
  async function allLeft(ms: number): Promise<void> {
    if (running.size === 0) return;
    const empty = new Promise<void>((resolve) => {
      reportEmpty = resolve;
    });
    await within(empty, ms);
  }

  function enter(onLeave = () => {}): RunningTurn {
    if (isClosing)
      throw new RequestError("runtime_closing", "The runtime is closing: no new turn begins. Nothing was written.");
    const turn: RunningTurn = {
      signal: closing.signal,
      leave() {
        running.delete(turn);
        turns.delete(turn);
        onLeave();
        if (running.size === 0) reportEmpty();
      },
    };
    running.add(turn);
    return turn;
  }

  return {
    enter: () => enter(),
    async enterTurn(observed) {
      const following: TurnObserver[] = [];
      const turn = enter(() => following.forEach((observer) => observer.left()));
      following.push(countTurn(totals));
      for (const observe of observers) following.push(observe(observed));
      turns.add(turn);
      try {
        const reached = limiter === null ? null : await limiter.reached(observed.agent.model, turns.size);
        if (reached !== null) throw new LimitError(reached);
        return { ...turn, follow: (events) => follow(events, following) };
      } catch (error) {
        turn.leave();
        throw error;
      }
    },
    reachedLimit: async (model, pending) =>
      limiter === null ? null : limiter.reached(model, 0, pending && { model, ...pending }),
    async close(graceMs) {
      isClosing = true;
      await allLeft(graceMs);
      closing.abort(closedError());
      await allLeft(leavingMs);
    },
  };
}

function closedError(): RequestError {
  return new RequestError(
    "runtime_closing",
    "The runtime closed before the turn was over. Everything that was committed stays. A turn that had begun can be continued, also in another process.",
  );
}

async function* follow(
  events: AsyncGenerator<AgentEvent, void>,
  observers: readonly TurnObserver[],
): AsyncGenerator<AgentEvent, void> {
  for await (const event of events) {
    for (const observer of observers) observer.saw(event);
    yield event;
  }
}

/** Returns an observer that counts a turn in the totals. */
function countTurn(totals: TurnTotals): TurnObserver {
  const { turns } = totals;
  let stage: "waiting" | "running" | "ended" = "waiting";
  turns.waiting += 1;
  return {
    saw(event) {
      if (event.type === "turn-start") {
        stage = "running";
        turns.waiting -= 1;
        turns.running += 1;
      } else if (event.type === "turn-end") {
        stage = "ended";
        turns.running -= 1;
        turns.ended[event.stopReason] += 1;
        totals.modelCalls += event.steps;
        totals.tokens = addUsage(totals.tokens, event.usage);
      }
    },
    left() {
      if (stage === "ended") return;
      turns[stage] -= 1;
      turns[stage === "waiting" ? "refused" : "failed"] += 1;
    },
  };
}
