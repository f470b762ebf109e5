// Numbers the events of a turn, and stores them with the turn's writes, several in each row. Passes stored events to
// readers in the process that runs the turn, so that these readers need not read the database.
// Invariant: decoding returns the encoded events with their numbers. Events are stored in order and without gaps: one write at
// a time takes all that are not yet stored, and a write that fails leaves them to the next. A reader gets an event after it was
// stored, so no reader has seen a number that another process can use again.
import { createQueue, untilAborted } from "../base/waiting.ts";
import { noUsage } from "../base/message/message.ts";
import type { UserStore } from "../store/port/store.ts";
import { type EventBatch, type Lease, queueKeyOf } from "../store/port/turn-store.ts";
import type { AgentEvent, EventBody, EventHeader, TurnEnd } from "./events.ts";

export interface LiveTurns {
  /** `after`: the number of the turn's last stored event; 0 for a new turn. */
  begin(turnId: string, after: number): LiveTurn;
  /** Returns a reader of the events that are stored from now on; null if the turn does not run in this process. */
  attach(turnId: string): LiveReader | null;
}

export interface LiveTurn {
  /** Passes events that were stored to the readers in this process. */
  publish(events: readonly AgentEvent[]): void;
  end(): void;
}

export interface LiveReader {
  /** Whether the reader gets all events of the turn, because none was stored when the reader was attached. */
  readonly isWhole: boolean;
  /** Returns the events that were stored since the last call, at least one; null once the turn no longer runs here. */
  next(signal: AbortSignal | undefined): Promise<readonly AgentEvent[] | null>;
  detach(): void;
}

interface Attached {
  unread: AgentEvent[];
  hasEnded: boolean;
  wake: () => void;
}

export function createLiveTurns(): LiveTurns {
  const running = new Map<string, { readonly readers: Set<Attached>; isNew: boolean }>();
  return {
    begin(turnId, after) {
      const readers = new Set<Attached>();
      const turn = { readers, isNew: after === 0 };
      running.set(turnId, turn);
      return {
        publish(events) {
          turn.isNew = false;
          for (const reader of readers) {
            for (const event of events) reader.unread.push(event);
            reader.wake();
          }
        },
        end() {
          running.delete(turnId);
          for (const reader of readers) {
            reader.hasEnded = true;
            reader.wake();
          }
        },
      };
    },
    attach(turnId) {
      const turn = running.get(turnId);
      if (turn === undefined) return null;
      const { readers, isNew } = turn;
      const reader: Attached = { unread: [], hasEnded: false, wake: () => undefined };
      readers.add(reader);
      return {
        isWhole: isNew,
        next: (signal) => nextOf(reader, signal),
        detach: () => void readers.delete(reader),
      };
    },
  };
}

async function nextOf(reader: Attached, signal: AbortSignal | undefined): Promise<readonly AgentEvent[] | null> {
  signal?.throwIfAborted();
  if (reader.unread.length === 0 && !reader.hasEnded) {
    const woken = new Promise<void>((resolve) => (reader.wake = resolve));
    await (signal === undefined ? woken : untilAborted(woken, signal));
  }
  const { unread } = reader;
  reader.unread = [];
  return unread.length === 0 ? null : unread;
}

export interface TurnJournal {
  /** Returns the turn's next event, with its number. The next write stores it. */
  record(body: EventBody): AgentEvent;
  /** Returns numbered events that are not recorded yet: pass them as `closing` to `store`, with the write that causes them. */
  draft(bodies: readonly EventBody[]): readonly AgentEvent[];
  /** Runs a write. The write gets all events that are not stored yet, then `closing`; null if there are no events. */
  store<Result>(
    write: (events: EventBatch | null) => Promise<Result>,
    closing?: readonly AgentEvent[],
  ): Promise<Result>;
  /** Whether there are events to store. */
  readonly isPending: boolean;
  /** Whether the turn already had stored events when it began in this process. */
  readonly goesOn: boolean;
}

export interface JournalStart {
  /** The number of the turn's last event so far; 0 for a new turn. */
  readonly after: number;
  readonly isKept: boolean;
  /** Called with the events of each write after they were stored. */
  readonly onStored?: (events: readonly AgentEvent[]) => void;
}

export function createTurnJournal(
  header: Omit<EventHeader, "sequence">,
  { after, isKept, onStored }: JournalStart,
): TurnJournal {
  const queue = createQueue();
  const pending: AgentEvent[] = [];
  let last = after;
  const numbered = (body: EventBody, sequence: number): AgentEvent => ({ ...header, sequence, ...body });
  return {
    record(body) {
      last += 1;
      const event = numbered(body, last);
      // Even if events are not stored, the next write gets `turn-end`, because the turn's row records how the turn ended.
      if (isKept || event.type === "turn-end") pending.push(event);
      return event;
    },
    draft: (bodies) => bodies.map((body, at) => numbered(body, last + 1 + at)),
    store: (write, closing = []) =>
      queue.run(async () => {
        const recorded = pending.length;
        const events = [...pending, ...closing].filter((event) => isKept || event.type === "turn-end");
        const result = await write(events.length === 0 ? null : batchOf(events, isKept));
        pending.splice(0, recorded);
        last += closing.length;
        if (isKept && events.length > 0) onStored?.(events);
        return result;
      }),
    get isPending() {
      return pending.length > 0;
    },
    goesOn: after > 0,
  };
}

/** An end to store for a turn that no process runs. */
export interface WrittenEnd extends Pick<TurnEnd, "agentId" | "turnId" | "stopReason" | "error"> {
  readonly text?: string;
}

/**
 * Returns the end of a turn that no process runs. The caller stores it in the write that releases the lease, because a
 * turn under a lease counts as running. If the turn's input is in the queue, stores the end at once, and only then
 * removes the input: with neither of them, nothing would show that the turn exists.
 */
export async function endTurn(
  { events, inputs, unfinishedTurns }: Pick<UserStore, "events" | "inputs" | "unfinishedTurns">,
  lease: Lease,
  end: WrittenEnd,
  { keepEventsMs }: { readonly keepEventsMs: number },
): Promise<EventBatch> {
  const { conversationId } = lease;
  const sequence = (await events.last(end.turnId)) + 1;
  const last: TurnEnd = { conversationId, sequence, type: "turn-end", text: "", steps: 0, usage: noUsage, ...end };
  const batch = batchOf([last], keepEventsMs > 0);
  const input = await unfinishedTurns.input(conversationId, end.turnId);
  if (input !== null) {
    await events.append(lease, batch);
    await inputs.withdraw(conversationId, queueKeyOf(input));
  }
  return batch;
}

/** Consecutive text deltas of the same step and type, which are stored as one entry. */
interface DeltaRun {
  readonly type: "text-delta" | "thought-delta";
  readonly step: number;
  readonly texts: string[];
}

type Entry = EventBody | DeltaRun;

function addEntry(entries: Entry[], body: EventBody): void {
  if (body.type !== "text-delta" && body.type !== "thought-delta") {
    entries.push(body);
    return;
  }
  const { type, step, text } = body;
  const last = entries.at(-1);
  if (last !== undefined && "texts" in last && last.type === type && last.step === step) last.texts.push(text);
  else entries.push({ type, step, texts: [text] });
}

function batchOf(events: readonly AgentEvent[], isKept: boolean): EventBatch {
  const batch = encodeEvents(events);
  const last = events.at(-1);
  if (last?.type !== "turn-end") return batch;
  const end = { stopReason: last.stopReason, errorCode: last.error?.code ?? null };
  return { ...batch, events: isKept ? batch.events : null, end };
}

/** Returns the events in the form that is stored. Expects at least one event. */
export function encodeEvents(events: readonly AgentEvent[]): EventBatch {
  const [first] = events as readonly [AgentEvent, ...AgentEvent[]];
  const entries: Entry[] = [];
  for (const {
    agentId: _agent,
    conversationId: _conversation,
    turnId: _turn,
    sequence: _sequence,
    ...body
  } of events) {
    addEntry(entries, body);
  }
  return {
    turnId: first.turnId,
    first: first.sequence,
    last: first.sequence + events.length - 1,
    events: JSON.stringify(entries),
  };
}

export function decodeEvents(
  batch: EventBatch,
  { agentId, conversationId }: Pick<EventHeader, "agentId" | "conversationId">,
): readonly AgentEvent[] {
  const bodies = (JSON.parse(batch.events ?? "[]") as readonly Entry[]).flatMap(bodiesOf);
  return bodies.map((body, at) => ({
    agentId,
    conversationId,
    turnId: batch.turnId,
    sequence: batch.first + at,
    ...body,
  }));
}

function bodiesOf(entry: Entry): readonly EventBody[] {
  if (!("texts" in entry)) return [entry];
  return entry.texts.map((text) => ({ type: entry.type, step: entry.step, text }));
}
