// Reads the stored events of a turn, from any process, while it runs and afterwards.
// Invariant: every stored event after the given one is returned once, in order; reading has no effect on the turn.
import { systemClock } from "../base/clock.ts";
import { RequestError } from "../base/errors.ts";
import type { ExpectedReader } from "../store/port/turn-event-store.ts";
import type { ReadOptions } from "./turn-options.ts";
import type { AgentEvent } from "./events.ts";
import { decodeEvents, type LiveReader } from "./turn-journal.ts";
import type { AgentDeps } from "./turn.ts";

/** Milliseconds between two reads while the turn is queued, or runs in another process. */
const pollMs = 100;

export interface ReadDeps extends Pick<AgentDeps, "conversationId" | "store" | "times"> {
  readonly host: Pick<AgentDeps["host"], "live">;
  /** The agent and key to check at the first read, which may throw `conversation_not_found`. Default: no check. */
  readonly expected?: ExpectedReader;
  /** Whether this process started the turn. If so, a running turn without stored events is read from memory. Default false. */
  readonly isStarted?: boolean;
}

/**
 * Yields the stored events, and ends when the turn is over: completed, waiting, or cut short by the end of its process.
 * After the first read, a turn that runs in this process is read from memory. Throws RequestError `turn_not_found` and
 * `conversation_not_found`, and the signal's reason.
 */
export async function* readEvents(
  { conversationId, store, times, host, expected, isStarted = false }: ReadDeps,
  turnId: string,
  { after = 0, signal }: ReadOptions,
): AsyncGenerator<AgentEvent, void> {
  const reading = { conversationId, store, times, host, turnId, signal };
  const position: Position = { last: after, turnId: null };
  let isOver = yield* readOn({ ...reading, isStarted, ...(expected === undefined ? {} : { expected }) }, position);
  while (!isOver) isOver = yield* readOn(reading, position);
}

interface Reading extends ReadDeps {
  readonly turnId: string;
  readonly signal: AbortSignal | undefined;
}

interface Position {
  /** The number of the last event that was read. */
  last: number;
  /** The id of the turn that is read; null before the first read. */
  turnId: string | null;
}

/** Yields the stored events, then later ones if the turn runs in this process. Returns whether the turn is over. */
async function* readOn(
  { conversationId, store, times, host, expected, isStarted, turnId, signal }: Reading,
  position: Position,
): AsyncGenerator<AgentEvent, boolean> {
  // The reader is attached before stored events are read, so that it misses no event that is stored in between.
  const live = host.live.attach(position.turnId ?? turnId);
  try {
    if (isStarted === true && live?.isWhole === true) {
      position.turnId = turnId;
      return yield* readLive(live, signal, position);
    }
    const stored = await store.events.read(conversationId, turnId, { after: position.last, ...expected });
    const { state, agentId, batches } = stored;
    if (state === "unknown" && position.turnId === null) throw turnNotFound(turnId, times.keepEventsMs);
    position.turnId = stored.turnId;
    yield* unread(
      batches.flatMap((batch) => decodeEvents(batch, { agentId, conversationId })),
      position,
    );
    if (state === "over" || state === "unknown") return true;
    if (live === null) await systemClock.sleep(pollMs, signal);
    else if (yield* readLive(live, signal, position)) return true;
    return false;
  } finally {
    live?.detach();
  }
}

/** Yields the events of a turn that runs here, each after it was stored. Returns false if the turn stops running here. */
async function* readLive(
  live: LiveReader,
  signal: AbortSignal | undefined,
  position: Position,
): AsyncGenerator<AgentEvent, boolean> {
  for (let events = await live.next(signal); events !== null; events = await live.next(signal)) {
    yield* unread(events, position);
    if (events.at(-1)?.type === "turn-end") return true;
  }
  return false;
}

function* unread(events: readonly AgentEvent[], position: Position): Generator<AgentEvent, void> {
  for (const event of events) {
    if (event.sequence <= position.last) continue;
    position.last = event.sequence;
    yield event;
  }
}

function turnNotFound(turnId: string, keepEventsMs: number): RequestError {
  const why =
    keepEventsMs === 0
      ? "the setting keepEventsMinutes is 0, so no events are stored"
      : `events are deleted after ${keepEventsMs / 60_000} minutes, but messages are kept`;
  return new RequestError("turn_not_found", `This conversation has no stored events of a turn "${turnId}": ${why}.`);
}
