// Who may speak to the backend. A client has it from its first message until the backend is idle again (outside a
// transaction and after a Sync), and others wait in the order in which they came.
// Invariant: what one client leaves behind (an open transaction, settings, statements) is gone before the next begins,
// and a client that holds the backend without using it cannot keep a waiting one from it for longer than `stallMs`.
//
// This is why @electric-sql/pglite-socket (0.2.17) is not used: it hands the backend on after every single message
// outside a transaction, so that the unnamed statement of one client is bound by another (a driver that does not name
// its statements sends Parse, waits, and sends Bind); its queue stops for good after the first failed message; and its
// time-out closes connections that merely have nothing to do, while none bounds an open transaction.
import type { Backend, BackendAnswer, WireRequest } from "./backend.ts";

/** A client, as far as turns are concerned. */
export interface TurnTaker {
  /** Closes the client's connection, because it holds up others. */
  cutOff(): void;
}

export interface BackendTurns {
  /**
   * Runs a request when it is this client's turn. Undefined when the client left before its end.
   * Rejects when the backend is broken.
   */
  run(client: TurnTaker, request: WireRequest): Promise<BackendAnswer | undefined>;
  /** The client is gone: its turn ends, and before the next one begins its traces are removed. */
  leave(client: TurnTaker): void;
}

export function createBackendTurns(backend: Backend, stallMs: number): BackendTurns {
  let owner: TurnTaker | undefined;
  let lastOwner: TurnTaker | undefined;
  let waiting: { readonly client: TurnTaker; readonly start: () => void }[] = [];
  const served = new WeakSet<TurnTaker>();
  const departed = new WeakSet<TurnTaker>();
  let hasLeftovers = false;
  const stall = createStallWatch(stallMs, () => waiting.length > 0 && owner?.cutOff());

  const handOn = (): void => {
    stall.stop();
    const next = waiting.shift();
    owner = next?.client;
    next?.start();
  };

  /** Resolves to false when the client is in the middle of its turn. */
  const takeTurn = async (client: TurnTaker): Promise<boolean> => {
    if (owner === client) return false;
    if (owner === undefined) {
      owner = client;
      return true;
    }
    const isTurn = new Promise<void>((start) => waiting.push({ client, start }));
    // A holder for whom nobody waited may take its time, until somebody comes.
    if (stall.isDue()) owner.cutOff();
    await isTurn;
    return true;
  };

  const clean = async (client: TurnTaker): Promise<void> => {
    if (hasLeftovers) {
      hasLeftovers = false;
      await backend.resetSession();
    } else if (lastOwner !== client) {
      await backend.resetSettings();
    }
    lastOwner = client;
  };

  return {
    async run(client, request) {
      // It may have said something and left in one breath: a turn that it was given now would never end.
      if (departed.has(client)) return undefined;
      const isNew = await takeTurn(client);
      if (owner !== client) return undefined;
      stall.stop();
      served.add(client);
      if (isNew) await clean(client);
      if (owner !== client) return undefined;
      const answer = await backend.run(request);
      if (owner !== client) return undefined;
      if (answer.isIdle) handOn();
      else stall.start();
      return answer;
    },
    leave(client) {
      departed.add(client);
      const left = waiting.filter((entry) => entry.client === client);
      waiting = waiting.filter((entry) => entry.client !== client);
      for (const { start } of left) start();
      if (served.has(client)) hasLeftovers = true;
      if (owner === client) handOn();
    },
  };
}

interface StallWatch {
  start(): void;
  stop(): void;
  isDue(): boolean;
}

function createStallWatch(stallMs: number, onDue: () => unknown): StallWatch {
  let timer: NodeJS.Timeout | undefined;
  let isDue = false;
  const stop = (): void => {
    clearTimeout(timer);
    timer = undefined;
    isDue = false;
  };
  return {
    start() {
      stop();
      const started = setTimeout(() => {
        // Messages that have come in are read first: when this process was itself stopped, the timer is ahead of them.
        setImmediate(() => {
          if (timer !== started) return;
          isDue = true;
          onDue();
        });
      }, stallMs);
      timer = started;
    },
    stop,
    isDue: () => isDue,
  };
}
