// A user's runtime for a request that starts or reads a turn, and has a key that may not be verified yet.
// Invariant: the key is verified before anything is read or changed: by the statement that begins or reads the turn,
// and otherwise before the first call.
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

/** Returns a function that opens agents within the user's share, but not for a client that left while its request waited. */
export function openingsOf({ inTurn }: Pick<Share, "inTurn">, signal: AbortSignal): RunOpening {
  return (opening) =>
    inTurn("start", () => {
      if (signal.aborted) throw clientLeft(signal.reason);
      return opening();
    });
}

/** Returns a runtime that verifies the key before the first call, except for `models`, which contain no user data. */
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
  const verified = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(of, name) {
        const value: unknown = Reflect.get(of, name);
        if (own.has(value)) return own.get(value);
        if (typeof value === "object" && value !== null) return verified(value);
        if (typeof value !== "function") return value;
        return async (...args: readonly unknown[]) => {
          await verify();
          return Reflect.apply(value as Call, of, args);
        };
      },
    });
  return verified(runtime);
}
