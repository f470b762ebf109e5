// Ends the streams of a key when any process revokes the key.
// Invariant: a key with open streams is verified once a second, however many streams it has.
import type { Clock } from "../../base/clock.ts";
import { Fault } from "./fault.ts";
import type { VerifyKey } from "./authenticate.ts";

export interface KeyWatch {
  /**
   * Returns a signal that is aborted with Fault `key_invalid` when the key is revoked. Call `end` when the stream has ended.
   */
  begin(secret: string): { readonly signal: AbortSignal; readonly end: () => void };
}

/** Milliseconds between two verifications of a key. */
const pauseMs = 1000;

export function createKeyWatch(verify: VerifyKey, clock: Pick<Clock, "sleep">): KeyWatch {
  /** The open streams by key. Each stream has its own controller, which is dropped when the stream ends. */
  const watched = new Map<string, Set<AbortController>>();
  const watch = async (secret: string, open: ReadonlySet<AbortController>): Promise<void> => {
    while (open.size > 0) {
      await clock.sleep(pauseMs, undefined, { background: true });
      // A failing database does not count as a revocation.
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
