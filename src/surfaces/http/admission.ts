// Admits a request: finds its user by its key, and reserves a place for it in the user's share of the server's capacity.
// Invariant: a request is admitted before its body is read, and without a database query for a user who is known to be
// beyond a limit. The place is released after the response was sent, so a client that reads slowly keeps its place. The
// refusal of a request beyond the share is sent late, which slows down a client that repeats requests at once.
import type { Context } from "hono";
import type { Clock } from "../../base/clock.ts";
import { type Caller, createKeyGate, requireKey, type ServedKey, type VerifyKey } from "./authenticate.ts";
import { addressOf, onceSent, socketOf, type UnprovenConnections } from "./connection.ts";
import type { Share, UserShares } from "./user-shares.ts";

/**
 * Runs a request as the user of its key, and returns its response. Throws Fault `key_missing`, `key_invalid` and
 * `rate_limited`, and what `run` throws.
 */
export type Admit = (
  context: Context,
  asking: Asking,
  run: (admitted: Admitted) => Promise<Response>,
) => Promise<Response>;

export interface Asking {
  /** The text of the key; null if the request has none. */
  readonly secret: string | null;
  readonly mayStream: boolean;
  /** Whether `run` itself calls `Admitted.verify` for a key that was verified in the last minute. Default false. */
  readonly verifiesLater?: boolean;
  /** Called as soon as the user is known. */
  readonly onCaller: (caller: Caller) => void;
}

export interface Admitted {
  /** The text of the key. */
  readonly secret: string;
  readonly key: ServedKey;
  readonly share: Share;
  /** Verifies the key, unless that was done before. Throws Fault `key_invalid`. */
  readonly verify: () => Promise<void>;
}

export interface AdmissionDeps {
  readonly verify: VerifyKey;
  readonly shares: UserShares;
  readonly connections: UnprovenConnections;
  readonly clock: Pick<Clock, "now" | "sleep">;
}

/** Milliseconds before a request beyond the user's share is refused, so that its client does not repeat it at once. */
const refusalMs = 1000;
/** Maximum number of requests, of all users, that wait for their refusal; further refusals are sent at once. */
const maxRefused = 1000;

export function createAdmission({ verify, shares, connections, clock }: AdmissionDeps): Admit {
  const gate = createKeyGate(verify, clock);
  let refused = 0;

  async function shareOf(userId: string, { mayStream }: Asking, signal: AbortSignal): Promise<Share> {
    try {
      return shares.enter(userId, { mayStream });
    } catch (error) {
      if (refused >= maxRefused) throw error;
      refused += 1;
      await clock.sleep(refusalMs, signal).finally(() => (refused -= 1));
      throw error;
    }
  }

  async function enter(context: Context, asking: Asking): Promise<Admitted> {
    const { onCaller } = asking;
    const { signal } = context.req.raw;
    const secret = requireKey(asking.secret);
    const recent = gate.recent(secret);
    if (recent !== null) onCaller(recent);
    const early = recent === null ? null : await shareOf(recent.userId, asking, signal);
    let verified: Promise<ServedKey> | null = null;
    const verify = () => (verified ??= gate.verify(secret, addressOf(context)));
    try {
      const key = (asking.verifiesLater === true ? gate.unchecked(secret) : null) ?? (await verify());
      onCaller(key);
      const socket = socketOf(context);
      if (socket !== null) connections.prove(socket);
      const share = early ?? (await shareOf(key.userId, asking, signal));
      return { secret, key, share, verify: async () => void (await verify()) };
    } catch (error) {
      early?.leave();
      throw error;
    }
  }

  return async (context, asking, run) => {
    const admitted = await enter(context, asking);
    const { share } = admitted;
    try {
      const response = await run(admitted);
      if (response.headers.get("content-type")?.startsWith("text/event-stream") === true) share.becomeStream();
      onceSent(context, () => share.leave());
      return response;
    } catch (error) {
      share.leave();
      throw error;
    }
  };
}
