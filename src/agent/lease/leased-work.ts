// Runs the turns of a conversation and the changes between turns: one at a time, each under the conversation's lease.
// Invariant: the lease is released when the work ends, however it ends; work that lost its lease fails.
import { every } from "../../base/clock.ts";
import { createQueue, type Queue } from "../../base/waiting.ts";
import { RequestError } from "../../base/errors.ts";
import { noTerms, type QueuedInput, queueKeyOf, type TurnTerms } from "../../store/port/turn-store.ts";
import type { ReopenedTurn } from "../../store/port/unfinished-turn-store.ts";
import type { SendOptions, TurnEvents, TurnOptions } from "../turn-options.ts";
import { awaitLease, type LeaseRequest, queuedEvent } from "./await-lease.ts";
import { keepLease } from "./held-lease.ts";
import { driveTurn } from "./drive-turn.ts";
import { nothingToResume } from "../opening/recover.ts";
import { withEarlier } from "../turn-lookup.ts";
import type { OutputFormat } from "../../model/llm/model.ts";
import type { AgentEvent } from "../events.ts";
import { readEvents } from "../read-events.ts";
import { runTurn, type TurnOpening } from "../run-turn.ts";
import { createTurnJournal, type LiveTurn } from "../turn-journal.ts";
import { type TurnLimits, turnLimits } from "../turn-limits.ts";
import { withOverrides } from "../turn-overrides.ts";
import { type AgentDeps, createTurn } from "../turn.ts";

/** Opens a turn. Returns null, with nothing written, if the agent was kept open since an earlier turn and is now outdated. */
export type OpenTurn = (deps: AgentDeps, request: LeaseRequest) => AsyncGenerator<AgentEvent, TurnOpening | null>;

/** Milliseconds between two renewals of a queued input. After five seconds without a renewal, its sender counts as gone. */
const renewInputMs = 1000;

export interface TurnRequest extends TurnOptions, Pick<SendOptions, "onWaiting" | "afterMessage" | "notes"> {
  /** The schema that the answer must fit. */
  readonly output?: OutputFormat;
  /** The idempotency keys that the caller gave to the messages of the input. Default: none. */
  readonly keys?: readonly string[];
  /**
   * The input of a turn that `Agent.start` requested. It is stored in the conversation's queue while another turn runs, and
   * stays there if this process cannot run it.
   */
  readonly started?: QueuedInput;
  /** The id of the turn to continue. Options that are absent here come from the turn's original call. */
  readonly continues?: string;
}

export interface LeasedWork {
  /** Runs a turn. `open` takes the lease and prepares the conversation for the turn. */
  turnOf(options: TurnRequest, open: OpenTurn): TurnEvents;
  /** Runs a change of the conversation between turns. */
  change<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Runs work that needs no lease but must not overlap with turns and changes. */
  inOrder<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Runs work like `inOrder` if no turn and no change runs; otherwise does nothing. */
  whenFree(work: () => Promise<void>): Promise<void>;
}

export function createLeasedWork(deps: AgentDeps): LeasedWork {
  const { session, ids, times, host } = deps;
  const queue = createQueue();
  const run = (options: TurnRequest, open: OpenTurn) => turnInLine(deps, { queue, options, open });
  return {
    turnOf: (options, open) => {
      const { keys = [] } = options;
      const turn =
        keys.length === 0
          ? run(options, open)
          : turnOrRepeated(deps, { keys, options, isBusy: () => queue.size > 0, turn: () => run(options, open) });
      return driveTurn(turn, deps.host.log);
    },

    change: (work) =>
      queue.run(async () => {
        const running = host.turns.enter();
        const lease = keepLease(session.lease, times.leaseMs);
        try {
          const request = { signal: lease.signal, waitMs: times.waitMs, turnId: ids.next() };
          for await (const _event of awaitLease(deps, request));
          return await work();
        } finally {
          await lease.end();
          running.leave();
        }
      }),

    inOrder: (work) => queue.run(work),
    whenFree: async (work) => (queue.size === 0 ? queue.run(work) : undefined),
  };
}

/** Runs a turn after the turns that this process began before. */
async function* turnInLine(
  agentDeps: AgentDeps,
  { queue, options: given, open }: { readonly queue: Queue; readonly options: TurnRequest; readonly open: OpenTurn },
): AsyncGenerator<AgentEvent, void> {
  const { continues } = given;
  const options = continues === undefined ? given : { ...(await keptOptions(agentDeps, continues)), ...given };
  const { deps } = withTerms(agentDeps, options);
  options.signal?.throwIfAborted();
  const running = await deps.host.turns.enterTurn(deps);
  const signal = options.signal === undefined ? running.signal : AbortSignal.any([options.signal, running.signal]);
  try {
    const turnId = deps.ids.next();
    const terms = { options: optionsToKeep(options), isServed: deps.host.serving.isOn };
    const started = queue.size > 0 ? options.started : undefined;
    const stopWaiting = started === undefined ? () => {} : await waitInQueue(deps, { ...started, turnId, terms });
    if (started !== undefined) yield queuedEvent(deps, turnId, { holder: "this process", ahead: queue.size - 1 });
    // An abort while the turn waits is ignored here, because `refuseAborted` then refuses the turn.
    const leave = await queue.enter(signal).catch(() => () => {});
    stopWaiting();
    try {
      await refuseAborted(deps, { signal, given: options.signal, queued: started });
      const { waitMs = deps.times.waitMs, onWaiting = "supersede", afterMessage } = options;
      const request = {
        waitMs,
        turnId,
        terms,
        onWaiting,
        ...(afterMessage === undefined ? {} : { afterMessage }),
        isStarted: options.started !== undefined,
        isQueued: started !== undefined,
      };
      const turn = { request: { ...request, signal }, open, options, continues };
      yield* running.follow(turnOfCurrent(agentDeps, turn));
    } finally {
      leave();
    }
  } finally {
    running.leave();
  }
}

/** Returns the dependencies and the limits of a turn with these options. */
function withTerms(
  agentDeps: AgentDeps,
  options: TurnRequest,
): { readonly deps: AgentDeps; readonly limits: TurnLimits } {
  const isPlain = [options.model, options.systemPrompt, options.clientTools, options.output].every(
    (one) => one === undefined,
  );
  const deps = isPlain ? agentDeps : withOverrides(agentDeps, options);
  return { deps, limits: turnLimits(deps.agent, deps.models.price, options) };
}

/** Runs a turn. If the agent was kept open and is outdated, opens it again and runs the turn then. */
async function* turnOfCurrent(agentDeps: AgentDeps, turn: TurnToLease): AsyncGenerator<AgentEvent, void> {
  const { kept } = agentDeps;
  if ((yield* leasedTurn(agentDeps, turn)) || kept === undefined) return;
  yield* leasedTurn(await kept.reopen(), turn);
}

/** The options that are stored with a turn, for its resumption. A resumed turn has its whole budget again. */
const keptNames = [
  "onWaiting",
  "output",
  "model",
  "systemPrompt",
  "clientTools",
  "maxSteps",
  "budget",
  "notes",
] as const;

type KeptOptions = Pick<TurnRequest, (typeof keptNames)[number]>;

function optionsToKeep(options: KeptOptions): TurnTerms["options"] {
  return Object.fromEntries(keptNames.map((name) => [name, options[name]]).filter(([, value]) => value !== undefined));
}

/** Returns the stored options of a turn to continue. Throws RequestError `nothing_to_resume` if its stop was requested. */
async function keptOptions({ store }: Pick<AgentDeps, "store">, turnId: string): Promise<KeptOptions> {
  const asked = await store.unfinishedTurns.find(turnId);
  if (asked?.isStopped === true) throw nothingToResume();
  // The cast is sound: only `optionsToKeep` makes the options that are stored.
  return (asked?.terms.options ?? {}) as KeptOptions;
}

interface WaitedTurn {
  /** The turn's signal. Aborts when the caller's signal aborts, or when the runtime closes. */
  readonly signal: AbortSignal;
  readonly given: AbortSignal | undefined;
  readonly queued: QueuedInput | undefined;
}

/**
 * Throws the signal's reason before the turn begins, if the caller has aborted the waiting turn or the runtime has closed. A
 * queued input stays for the next process, except after an abort by the caller.
 */
async function refuseAborted(
  { store, conversationId }: Pick<AgentDeps, "store" | "conversationId">,
  { signal, given, queued }: WaitedTurn,
): Promise<void> {
  if (given?.aborted === true && queued !== undefined) await store.inputs.withdraw(conversationId, queueKeyOf(queued));
  signal.throwIfAborted();
}

/** Stores an input in the queue, and keeps it there by renewals until the returned function is called. */
async function waitInQueue({ store, conversationId }: AgentDeps, input: QueuedInput): Promise<() => void> {
  await store.inputs.enqueue(conversationId, input);
  // During an outage of the database the input still waits: a failed renewal is ignored.
  const renew = () => store.inputs.renew(conversationId, queueKeyOf(input)).catch(() => undefined);
  return every(renewInputMs, renew);
}

interface TurnToLease {
  readonly request: LeaseRequest;
  readonly open: OpenTurn;
  readonly options: TurnRequest;
  readonly continues: string | undefined;
}

/** Whether the turn is the first of its conversation and the model is to read about the agent's earlier conversations. */
function beginsAfterOthers({ agent, session }: Pick<AgentDeps, "agent" | "session">, turnId: string): boolean {
  const isFirst = session.cut === 0 && session.messages.every((message) => message.turnId === turnId);
  return isFirst && agent.settings.stateBlock === "full" && session.searchable.lastBefore !== null;
}

/** Runs a turn under the lease. Returns false if `open` returned null. */
async function* leasedTurn(
  agentDeps: AgentDeps,
  { request, open, options, continues }: TurnToLease,
): AsyncGenerator<AgentEvent, boolean> {
  const { deps, limits } = withTerms(agentDeps, options);
  const { session, memories, host, times } = deps;
  const { terms = noTerms } = request;
  const lease = keepLease(session.lease, times.leaseMs);
  const signal = AbortSignal.any([request.signal, lease.signal]);
  let isOpen = true;
  let live: LiveTurn | null = null;
  try {
    const opening = yield* open(agentDeps, { ...request, signal });
    isOpen = opening !== null;
    if (opening === null) return false;
    const { turnId } = opening.input;
    const after = opening.isNew ? 0 : await reopened(deps, { turnId, terms, isContinued: continues !== undefined });
    await memories.openFiles?.refresh();
    const found = (await memories.lookup?.forInput(opening.input, session.messages, signal)) ?? null;
    const retrieval = beginsAfterOthers(deps, turnId) ? await withEarlier(found, deps) : found;
    const header = { agentId: deps.agent.id, conversationId: deps.conversationId, turnId };
    live = host.live.begin(turnId, after);
    for (const stage of deps.upkeep) stage.beforeTurn?.();
    const isKept = times.keepEventsMs > 0;
    const journal = createTurnJournal(header, { after, isKept, onStored: live.publish });
    lease.watch(journal);
    yield* runTurn(createTurn(deps, { turnId, signal, retrieval, journal, limits }), opening);
    lease.check();
    return true;
  } finally {
    await lease.end();
    live?.end();
    if (isOpen) await leaveTurn(deps);
  }
}

async function leaveTurn({ session, memories, host, upkeep }: AgentDeps): Promise<void> {
  memories.lookup?.remember(session.messages);
  if (host.deferred.waits) {
    await host.deferred.afterTurn();
    await session.reload();
  }
  for (const stage of upkeep) stage.afterTurn?.();
}

interface RepeatableTurn {
  readonly keys: readonly string[];
  readonly options: TurnRequest;
  /** Whether a turn of this agent runs in this process. */
  readonly isBusy: () => boolean;
  readonly turn: () => AsyncGenerator<AgentEvent, void>;
}

/** Runs the turn. For an input with the keys of an earlier input, reads the events of that input's turn instead. */
async function* turnOrRepeated(
  deps: AgentDeps,
  { keys, options, isBusy, turn }: RepeatableTurn,
): AsyncGenerator<AgentEvent, void> {
  const earlierTurn = () => turnOfKeys(deps, keys);
  // A repeated input must not wait until the turn of the first input has ended.
  const running = isBusy() ? await earlierTurn() : null;
  if (running !== null) return yield* eventsOfRepeated(deps, running, options);
  try {
    yield* turn();
  } catch (error) {
    if (!(error instanceof RequestError && error.code === "input_repeated") || deps.times.keepEventsMs === 0)
      throw error;
    const turnId = await earlierTurn();
    if (turnId === null) throw error;
    yield* eventsOfRepeated(deps, turnId, options);
  }
}

/**
 * Reads the events of the turn that an earlier input with the same keys began. Throws RequestError `input_repeated` if no event
 * is stored: the events have expired, or the turn's process ended before it stored one.
 */
async function* eventsOfRepeated(
  deps: AgentDeps,
  turnId: string,
  options: TurnRequest,
): AsyncGenerator<AgentEvent, void> {
  try {
    yield* readEvents(deps, turnId, options);
  } catch (cause) {
    if (!(cause instanceof RequestError && cause.code === "turn_not_found")) throw cause;
    throw new RequestError(
      "input_repeated",
      "An input with this idempotency key was accepted before, and no events of its turn are stored. Nothing was written.",
      { cause },
    );
  }
}

/**
 * Returns the turn that answers the messages with these keys; null if all keys are new. Throws RequestError
 * `input_repeated` if only some keys are new, or if they belong to several turns.
 */
export async function turnOfKeys(
  { store, conversationId }: Pick<AgentDeps, "store" | "conversationId">,
  keys: readonly string[],
): Promise<string | null> {
  const turns = new Set<string | null>();
  for (const key of keys) turns.add(await store.events.turnOf(conversationId, key));
  const [turn = null] = turns;
  if (turns.size <= 1) return turn;
  throw new RequestError(
    "input_repeated",
    "Expected idempotency keys that are all new or all of one earlier input, got a mix of new and used keys, or keys of several inputs. Nothing was written: send only the new messages, with new keys.",
  );
}

/** Records that the turn continues. Returns the number of its last stored event; 0 if the events of turns are not stored. */
async function reopened(
  { session, store, times }: Pick<AgentDeps, "session" | "store" | "times">,
  turn: ReopenedTurn,
): Promise<number> {
  const last = await store.unfinishedTurns.reopen(session.lease.current, turn);
  return times.keepEventsMs === 0 ? 0 : last;
}
