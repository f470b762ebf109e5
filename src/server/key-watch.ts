// Ends what a key has open when it is revoked, by whichever process.
// Invariant: a key is asked for once a second while it has a stream open, however many it has.
import type { Clock } from "../base/clock.ts";
import { Fault } from "./fault.ts";
import type { VerifyKey } from "./key-gate.ts";

export interface KeyWatch {
  /** Returns a signal that is aborted when the key is revoked, with Fault `key_invalid`. Call `end` when nothing is open any more. */
  begin(secret: string): { readonly signal: AbortSignal; readonly end: () => void };
}

/** Milliseconds between two questions. */
const pauseMs = 1000;

interface Watched {
  open: number;
  readonly controller: AbortController;
}

export function createKeyWatch(verify: VerifyKey, clock: Pick<Clock, "sleep">): KeyWatch {
  const watched = new Map<string, Watched>();
  const watch = async (secret: string, key: Watched): Promise<void> => {
    while (key.open > 0) {
      await clock.sleep(pauseMs, undefined, { background: true });
      // A database that cannot be asked revokes nothing.
      const isValid = await verify(secret).then(
        (found) => found !== null,
        () => true,
      );
      if (isValid) continue;
      watched.delete(secret);
      key.controller.abort(new Fault(401, "key_invalid", "The key was revoked."));
      return;
    }
    watched.delete(secret);
  };
  return {
    begin(secret) {
      const known = watched.get(secret);
      const key = known ?? { open: 0, controller: new AbortController() };
      key.open += 1;
      if (known === undefined) {
        watched.set(secret, key);
        void watch(secret, key);
      }
      let isOpen = true;
      const end = (): void => {
        if (isOpen) key.open -= 1;
        isOpen = false;
      };
      return { signal: key.controller.signal, end };
    },
  };
}
