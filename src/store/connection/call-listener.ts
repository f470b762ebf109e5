// Listens for calls: each is a notification that an input is next in its conversation's queue.
// Invariant: all waiting inputs of a database share one connection, which is opened for the first of them. A lost call
// delays an input until the next poll, and never loses a turn. Waiting inputs poll unless a test call has shown that calls
// arrive.
import { randomUUID } from "node:crypto";
import type postgres from "postgres";
import { systemClock } from "../../base/clock.ts";
import type { Call } from "../port/turn-store.ts";
import { callChannel } from "../sql/call-next.ts";

export interface CallListener {
  /** Starts to listen. `topic`: the payload of the notifications. */
  listen(topic: string): Call;
  close(): Promise<void>;
}

export interface CallListenerDeps {
  /** Opens a client of the driver, which reconnects by itself and then listens again. */
  connect(): Pick<postgres.Sql, "listen" | "end">;
  /** Sends a notification on another connection. */
  notify(channel: string, topic: string): Promise<void>;
}

/** Milliseconds to wait for a test call. It never arrives if a pooler does not keep the client on one server connection. */
const probeMs = 2000;

export function createCallListener({ connect, notify }: CallListenerDeps): CallListener {
  let client: ReturnType<CallListenerDeps["connect"]> | null = null;
  let isLive = false;
  let isClosed = false;
  const topics = createTopics(() => isLive);

  /** Checks whether notifications arrive. The driver calls this function after every connect. */
  async function probe(): Promise<void> {
    isLive = false;
    const topic = `probe ${randomUUID()}`;
    const call = topics.listen(topic);
    await notify(callChannel, topic);
    await call.wait(probeMs, new AbortController().signal);
    isLive = call.hasArrived() && !isClosed;
    call.end();
    if (!isLive) await stop();
  }

  async function start(): Promise<void> {
    client = connect();
    await client.listen(callChannel, topics.report, () => void probe().catch(stop));
  }

  /** Stops listening, so that waiting inputs poll. */
  async function stop(): Promise<void> {
    isLive = false;
    await client?.end({ timeout: 1 });
  }

  return {
    listen(topic) {
      // A failed start is not an error: without notifications, a session polls until its queued input is next.
      if (client === null && !isClosed) start().catch(stop);
      return topics.listen(topic);
    },
    async close() {
      isClosed = true;
      await stop();
    },
  };
}

interface Topics {
  /** Reports a notification to the listeners of its topic. */
  report(topic: string): void;
  listen(topic: string): Call & { hasArrived(): boolean };
}

function createTopics(isLive: () => boolean): Topics {
  const listening = new Map<string, Set<() => void>>();
  return {
    report(topic) {
      for (const arrive of listening.get(topic) ?? []) arrive();
    },
    listen(topic) {
      const { arrive, wait, hasArrived } = createArrivals();
      const others = listening.get(topic) ?? new Set();
      listening.set(topic, others.add(arrive));
      return {
        get isLive() {
          return isLive();
        },
        hasArrived,
        wait,
        end() {
          others.delete(arrive);
          if (others.size === 0) listening.delete(topic);
        },
      };
    },
  };
}

/** Returns an object that counts the notifications of one listener, and ends the listener's wait when one arrives. */
function createArrivals() {
  let arrived = 0;
  let awaited = 0;
  let wake: () => void = () => undefined;
  return {
    arrive(): void {
      arrived += 1;
      wake();
    },
    hasArrived: () => arrived > 0,
    async wait(ms: number, signal: AbortSignal): Promise<void> {
      const ended = new AbortController();
      const called = new Promise<void>((resolve) => {
        wake = resolve;
        if (arrived > awaited) resolve();
      });
      try {
        await Promise.race([called, systemClock.sleep(ms, AbortSignal.any([signal, ended.signal]))]);
      } finally {
        awaited = arrived;
        ended.abort();
      }
    },
  };
}
