// Runs a turn in the background. The turn waits while its reader takes events, and runs alone once the reader stops.
// Invariant: a turn begins when its first event is read, or soon after the request. A reader delays the turn by at most
// `patienceMs` and never ends the turn. A failure is thrown to the reader or logged; a close of the runtime is logged
// as `info`.
import { RequestError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { messageOf } from "../../base/thrown-values.ts";
import type { TurnEvents } from "../turn-options.ts";
import type { AgentEvent, TurnEnd } from "../events.ts";

/** Milliseconds after which a turn continues although its reader has not asked for the next event. */
const patienceMs = 1000;

/** Returns the events of `turn`. The turn begins when its first event is read, or else after the caller's synchronous code. */
export function driveTurn(turn: AsyncGenerator<AgentEvent, void>, log: Log): TurnEvents {
  const reader = createReader();
  let isBegun = false;
  let isRead = false;
  const logUnread = ({ error }: Failure): void => {
    // The runtime closes: another process continues this turn, so this is not logged as a failure.
    if (error instanceof RequestError && error.code === "runtime_closing") return log(error.message, "info");
    const which = isRead ? "A turn failed after its reader stopped reading" : "A turn without a reader failed";
    log(`${which}: ${messageOf(error)}`);
  };

  async function drive(): Promise<void> {
    if (isBegun) return;
    isBegun = true;
    try {
      for await (const event of turn) await reader.put(event);
      reader.end(null);
    } catch (error) {
      if (reader.isAway() || !isRead) logUnread({ error });
      if (!reader.isAway()) reader.end({ error });
    }
  }

  async function* read(): AsyncGenerator<AgentEvent, void> {
    isRead = true;
    void drive();
    try {
      for (let event = await reader.take(); event !== null; event = await reader.take()) yield event;
    } finally {
      const unread = reader.leave();
      if (unread !== null) logUnread(unread);
    }
  }

  setImmediate(() => void drive());
  const events = read();
  let ending: Promise<TurnEnd> | null = null;
  const end = (): Promise<TurnEnd> => (ending ??= lastOf(events));
  async function* texts(): AsyncGenerator<string, void> {
    for await (const event of events) {
      if (event.type === "text-delta") yield event.text;
      if (event.type === "turn-end") ending = Promise.resolve(event);
    }
  }
  const then = ((...callbacks) => end().then(...callbacks)) as TurnEvents["then"];
  // oxlint-disable-next-line unicorn/no-thenable -- `await agent.send(text)` is to run the turn, not to return its generator.
  return Object.assign(events, { then, textStream: texts() });
}

interface Failure {
  readonly error: unknown;
}

/** Passes events from the driver of a turn (`put`, `end`) to its reader (`take`, `leave`). */
interface Reader {
  /** Resolves when the reader asks for the next event or has left, at the latest after `patienceMs`. */
  put(event: AgentEvent): Promise<void>;
  end(failure: Failure | null): void;
  /** Returns the next event, or null after the last one. Throws the failure that `end` received. */
  take(): Promise<AgentEvent | null>;
  /** Ends the reading. Returns the failure of the turn if the reader has not received it; null for none. */
  leave(): Failure | null;
  isAway(): boolean;
}

function createReader(): Reader {
  const unread: AgentEvent[] = [];
  let state: "asking" | "busy" | "slow" | "away" = "busy";
  let failure: Failure | null = null;
  let isOver = false;
  let onAsking = (): void => undefined;
  let onChange = (): void => undefined;
  return {
    async put(event) {
      if (state === "away") return;
      unread.push(event);
      onChange();
      if (state === "asking") state = "busy";
      if (state === "slow") return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => {
          state = "slow";
          resolve();
        }, patienceMs);
        onAsking = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
    end(cause) {
      failure = cause;
      isOver = true;
      onChange();
    },
    async take() {
      for (;;) {
        const event = unread.shift();
        if (event !== undefined) return event;
        if (isOver) break;
        const changed = new Promise<void>((resolve) => (onChange = resolve));
        state = "asking";
        onAsking();
        await changed;
      }
      const cause = failure;
      failure = null;
      if (cause !== null) throw cause.error;
      return null;
    },
    leave() {
      state = "away";
      onAsking();
      return failure;
    },
    isAway: () => state === "away",
  };
}

/** Reads all events and returns the last one. */
async function lastOf(events: AsyncGenerator<AgentEvent, void>): Promise<TurnEnd> {
  let last: AgentEvent | null = null;
  for await (const event of events) last = event;
  if (last?.type !== "turn-end")
    throw new TypeError("The events of this turn were already read: await the turn or read its events, not both.");
  return last;
}
