// Wraps a user's runtime for one request. A request that starts or reads a turn gets a runtime that verifies the key; a
// request that only reads gets a runtime that stops working when the client leaves.
// Invariant: the key is verified before anything is read or changed: by the statement that begins or reads the turn, and
// otherwise before the first call. A started operation runs to its end.
import type { UserRuntime } from "../../runtime/runtime.ts";
import { clientLeft } from "./fault.ts";
import type { Share } from "./user-shares.ts";

interface UnverifiedKey {
  readonly keyId: string;
  /** Verifies the key. Throws Fault `key_invalid`. */
  readonly verify: () => Promise<void>;
  /** Runs the function that opens an agent, possibly after a wait. Default: at once. */
  readonly inTurn?: RunOpening | undefined;
}

type RunOpening = (opening: () => Promise<void>) => Promise<void>;

type Call = (...args: readonly unknown[]) => unknown;

/** Returns a function that opens an agent when the user's share allows it. Throws if the client has left by then. */
export function openingsOf({ inTurn }: Pick<Share, "inTurn">, signal: AbortSignal): RunOpening {
  return (opening) =>
    inTurn("start", () => {
      if (signal.aborted) throw clientLeft(signal.reason);
      return opening();
    });
}

/** Returns a runtime that verifies the key before each call, except calls of `models`, which contain no user data. */
export function verifiedRuntime(runtime: UserRuntime, { keyId, verify, inTurn }: UnverifiedKey): UserRuntime {
  const ofKey = (beforeReading?: () => Promise<void>) => ({
    keyId,
    async beforeReading() {
      await verify();
      await beforeReading?.();
    },
  });
  const { agents, models, turns } = runtime;
  const opened = inTurn === undefined ? {} : { inTurn };
  const openForTurn: typeof agents.openForTurn = (conversation, options = {}) =>
    agents.openForTurn(conversation, { ...options, ...ofKey(options.beforeReading), ...opened });
  const events: typeof turns.events = (turnId, options) =>
    turns.events(turnId, { ...options, ...ofKey(options.beforeReading) });
  const own = new Map<unknown, unknown>([
    [models, models],
    [agents.openForTurn, openForTurn],
    [turns.events, events],
  ]);
  return wrapped(
    runtime,
    async (call) => {
      await verify();
      return call();
    },
    own,
  );
}

/** Returns the runtime with functions that throw Fault `client_left` once `signal` is aborted, because the client has left. */
export function untilLeft(runtime: UserRuntime, signal: AbortSignal): UserRuntime {
  return wrapped(runtime, (call) => {
    if (signal.aborted) throw clientLeft(signal.reason);
    return call();
  });
}

/** Wraps an object and its parts, so that `run` makes every call of a function. `own`: replacements of some values. */
function wrapped<Part extends object>(
  part: Part,
  run: (call: () => unknown) => unknown,
  own: ReadonlyMap<unknown, unknown> = new Map(),
): Part {
  return new Proxy(part, {
    get(of, name) {
      const value: unknown = Reflect.get(of, name);
      if (own.has(value)) return own.get(value);
      if (typeof value === "object" && value !== null) return wrapped(value, run, own);
      if (typeof value !== "function") return value;
      return (...args: readonly unknown[]) => run(() => Reflect.apply(value as Call, of, args));
    },
  });
}
