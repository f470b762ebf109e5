// Lets a request in: finds its user by its key, and takes the request's place in the user's share.
// Invariant: nothing of a body is read before, and the database is not asked about a user who is known to be beyond a limit. A
// place is given back when the response was sent, so a client that reads slowly holds its own.
import type { Context } from "hono";
import type { Clock } from "../base/clock.ts";
import { authenticate, requireKey } from "./authenticate.ts";
import { addressOf, onceSent, socketOf, type UnprovenConnections } from "./connection.ts";
import { createKeyGate, type ServedKey, type VerifyKey } from "./key-gate.ts";
import type { Share, UserShares } from "./user-shares.ts";

export interface Admission {
  /**
   * Runs a request of a user. Throws Fault `key_missing`, `key_invalid` and `rate_limited`, and as `run`.
   */
  admit(context: Context, asking: Asking, run: (admitted: Admitted) => Promise<Response>): Promise<Response>;
}

export interface Asking {
  /** Null: none was sent. */
  readonly secret: string | null;
  readonly mayStream: boolean;
  /** Called as soon as the user is known. */
  readonly onCaller: (caller: Caller) => void;
}

export type Caller = Pick<ServedKey, "userId" | "keyId">;

export interface Admitted {
  readonly key: ServedKey;
  readonly share: Share;
}

export interface AdmissionDeps {
  readonly verify: VerifyKey;
  readonly shares: UserShares;
  readonly connections: UnprovenConnections;
  readonly clock: Pick<Clock, "now">;
}

export function createAdmission({ verify, shares, connections, clock }: AdmissionDeps): Admission {
  const gate = createKeyGate(verify, clock);

  async function enter(context: Context, { secret: sent, mayStream, onCaller }: Asking): Promise<Admitted> {
    const secret = requireKey(sent);
    const recent = gate.recent(secret);
    if (recent !== null) onCaller(recent);
    const early = recent === null ? null : shares.enter(recent.userId, { mayStream });
    try {
      const key = await authenticate(gate, { secret, address: addressOf(context) });
      onCaller(key);
      const socket = socketOf(context);
      if (socket !== null) connections.prove(socket);
      return { key, share: early ?? shares.enter(key.userId, { mayStream }) };
    } catch (error) {
      early?.leave();
      throw error;
    }
  }

  return {
    async admit(context, asking, run) {
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
    },
  };
}
