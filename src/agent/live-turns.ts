// Passes the events of turns that run in this process to readers in this process, which then need not read the database.
// Invariant: an event is passed on after it was stored, so no reader has seen a number that another process can use again.
import { untilAborted } from "../base/waiting.ts";
import type { AgentEvent } from "./events.ts";

export interface LiveTurns {
  /** Registers a turn that begins to run. */
  begin(turnId: string): LiveTurn;
  /** Returns a reader of the events that are stored from now on; null if the turn does not run in this process. */
  attach(turnId: string): LiveReader | null;
}

export interface LiveTurn {
  /** Passes on events that were stored. */
  publish(events: readonly AgentEvent[]): void;
  /** Ends the readers. */
  end(): void;
}

export interface LiveReader {
  /** Returns the events that were stored since the last call, at least one; null once the turn has left this process. */
  next(signal: AbortSignal | undefined): Promise<readonly AgentEvent[] | null>;
  detach(): void;
}

interface Attached {
  unread: AgentEvent[];
  hasEnded: boolean;
  wake: () => void;
}

export function createLiveTurns(): LiveTurns {
  const running = new Map<string, Set<Attached>>();
  return {
    begin(turnId) {
      const readers = new Set<Attached>();
      running.set(turnId, readers);
      return {
        publish(events) {
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
      const readers = running.get(turnId);
      if (readers === undefined) return null;
      const reader: Attached = { unread: [], hasEnded: false, wake: () => undefined };
      readers.add(reader);
      return { next: (signal) => nextOf(reader, signal), detach: () => void readers.delete(reader) };
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
