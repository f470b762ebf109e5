// Ends what a key has open when it is revoked, by whichever process.
// Invariant: a key is asked for once a second while it has a stream open, however many it has.
import type { Clock } from "../../base/clock.ts";
import { Fault } from "./fault.ts";
import type { VerifyKey } from "./key-gate.ts";

export interface KeyWatch {
  /** Returns a signal that is aborted when the key is revoked, with Fault `key_invalid`. Call `end` when nothing is open any more. */
  begin(secret: string): { readonly signal: AbortSignal; readonly end: () => void };
}

/** Milliseconds between two questions. */
const pauseMs = 1000;

export function createKeyWatch(verify: VerifyKey, clock: Pick<Clock, "sleep">): KeyWatch {
  /** What is open, by key: each has a signal of its own, so that nothing of it stays when it has ended. */
  const watched = new Map<string, Set<AbortController>>();
  const watch = async (secret: string, open: ReadonlySet<AbortController>): Promise<void> => {
    while (open.size > 0) {
      await clock.sleep(pauseMs, undefined, { background: true });
      // A database that cannot be asked revokes nothing.
      const isValid = await verify(secret).then(
        (found) => found !== null,
        () => true,
      );
      if (isValid) continue;
      watched.delete(secret);
      for (const controller of open) controller.abort(new Fault(401, "key_invalid", "The key was revoked."));
      return;
    }
    watched.delete(secret);
  };
  return {
    begin(secret) {
      const known = watched.get(secret);
      const open = known ?? new Set<AbortController>();
      const controller = new AbortController();
      open.add(controller);
      if (known === undefined) {
        watched.set(secret, open);
        void watch(secret, open);
      }
      return { signal: controller.signal, end: () => void open.delete(controller) };
    },
  };
}
