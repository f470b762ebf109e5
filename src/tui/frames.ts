// Says when the screen is to be drawn anew: at once after a pause, else when a thirtieth of a second has passed.
// Invariant: at most 30 times a second, whatever the reason is; after the last change there is always one more drawing.
import type { Clock } from "../base/clock.ts";
import type { ChatStore } from "./chat-store.ts";

const frameMs = 34;
/** How long the spinner stands still. Its turns are drawings like all others. */
export const spinnerMs = 120;

/** Calls who subscribes for each drawing: after changes of the store, and while the agent works for its spinner. */
export function createFrames(store: ChatStore, clock: Clock): Pick<ChatStore, "subscribe"> {
  const listeners = new Set<() => void>();
  let lastMs = Number.NEGATIVE_INFINITY;
  let isScheduled = false;
  let isTurning = false;

  const draw = (): void => {
    isScheduled = false;
    lastMs = clock.now().getTime();
    for (const listener of listeners) listener();
  };
  const request = (): void => {
    if (isScheduled) return;
    const waitMs = lastMs + frameMs - clock.now().getTime();
    if (waitMs <= 0) {
      draw();
      return;
    }
    isScheduled = true;
    // The clock of the machine may be set back.
    void clock.sleep(Math.min(waitMs, frameMs)).then(draw);
  };
  const turnSpinner = async (): Promise<void> => {
    if (isTurning) return;
    isTurning = true;
    while (listeners.size > 0 && store.getState().activity !== null && !store.getState().hasLeft) {
      await clock.sleep(spinnerMs);
      request();
    }
    isTurning = false;
  };
  store.subscribe(() => {
    request();
    void turnSpinner();
  });
  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
