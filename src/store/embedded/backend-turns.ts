// Schedules the clients of the one backend. A client has the backend from its first message until the backend is idle
// again (outside a transaction and after a Sync); others wait in order of arrival.
// Invariant: state that a client leaves behind (an open transaction, settings, statements) is reset before the next
// client, and a client that holds the backend without using it can delay a waiting one by at most `stallMs`.
//
// @electric-sql/pglite-socket (0.2.17) is not used for three reasons. It releases the backend after every message outside a
// transaction, so one client's Bind can use the unnamed statement of another client's Parse (a driver without named
// statements sends Parse, waits, and then sends Bind). Its queue stops permanently after the first failed message. Its
// time-out closes idle connections, but does not limit open transactions.
import type { Backend, BackendAnswer, WireRequest } from "./backend.ts";

/** A client in the queue for the backend. */
export interface TurnTaker {
  /** Closes the client's connection, because the client blocks others. */
  cutOff(): void;
  /** Names of the statements that the client has prepared. */
  readonly statements: ReadonlySet<string>;
}

export interface BackendTurns {
  /**
   * Runs a request once the client has the backend, and returns the answer; undefined if the client disconnected before
   * the end of the request. Rejects if the backend is broken.
   */
  run(client: TurnTaker, request: WireRequest): Promise<BackendAnswer | undefined>;
  /** To be called when the client has disconnected: the backend is reset and given to the next client. */
  leave(client: TurnTaker): void;
}

export function createBackendTurns(backend: Backend, stallMs: number): BackendTurns {
  let owner: TurnTaker | undefined;
  let lastOwner: TurnTaker | undefined;
  let waiting: { readonly client: TurnTaker; readonly start: () => void }[] = [];
  const served = new WeakSet<TurnTaker>();
  const departed = new WeakSet<TurnTaker>();
  /** The disconnected clients whose state is still in the backend. */
  let leftBehind: TurnTaker[] = [];
  const stall = createStallWatch(stallMs, () => waiting.length > 0 && owner?.cutOff());

  const startNext = (): void => {
    stall.stop();
    const next = waiting.shift();
    owner = next?.client;
    next?.start();
  };

  /** Resolves when the client has the backend: to false if it already had the backend, otherwise to true. */
  const takeTurn = async (client: TurnTaker): Promise<boolean> => {
    if (owner === client) return false;
    if (owner === undefined) {
      owner = client;
      return true;
    }
    const isTurn = new Promise<void>((start) => waiting.push({ client, start }));
    // The owner has sent nothing for `stallMs` inside a transaction: it is disconnected now that another client waits.
    if (stall.isDue()) owner.cutOff();
    await isTurn;
    return true;
  };

  const clean = async (client: TurnTaker): Promise<void> => {
    if (leftBehind.length > 0) {
      const statements = leftBehind.flatMap((left) => [...left.statements]);
      leftBehind = [];
      await backend.resetSession(statements);
    } else if (lastOwner !== client) {
      await backend.resetSettings();
    }
    lastOwner = client;
  };

  return {
    async run(client, request) {
      // The client may have sent something and disconnected at once: giving it the backend now would block all others.
      if (departed.has(client)) return undefined;
      const isNew = await takeTurn(client);
      if (owner !== client) return undefined;
      stall.stop();
      served.add(client);
      if (isNew) await clean(client);
      if (owner !== client) return undefined;
      const answer = await backend.run(request);
      if (owner !== client) return undefined;
      if (answer.isIdle) startNext();
      else stall.start();
      return answer;
    },
    leave(client) {
      departed.add(client);
      const left = waiting.filter((entry) => entry.client === client);
      waiting = waiting.filter((entry) => entry.client !== client);
      for (const { start } of left) start();
      if (served.has(client)) leftBehind.push(client);
      if (owner === client) startNext();
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
        // Reads messages that have arrived first: after a suspension of this process, the timer fires before sockets are read.
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
