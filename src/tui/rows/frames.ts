// Says when the screen is to be drawn anew: at once after a pause, else when a thirtieth of a second has passed. What is typed
// is drawn sooner, and the drawing after it is as much later.
// Invariant: at most 30 times a second, whatever the reason is; after the last change there is always one more drawing.
import type { Clock } from "../../base/clock.ts";
import type { ChatStore } from "../chat-store.ts";

const frameMs = 34;
/** How much before its time a drawing comes for what was typed: 15 ms after the last one, if that was in time. */
const earlyMs = 19;
/** How long the spinner stands still. Its turns are drawings like all others. */
export const spinnerMs = 120;

/** Calls who subscribes for each drawing: after changes of the store, and while the agent works for its spinner. */
export function createFrames(store: ChatStore, clock: Clock): Pick<ChatStore, "subscribe"> {
  const listeners = new Set<() => void>();
  let dueMs = Number.NEGATIVE_INFINITY;
  /** From the last drawing until `dueMs`. */
  let pauseMs = frameMs;
  let drawnEditor = store.getState().editor;
  let waiting: { readonly untilMs: number } | null = null;
  let isTurning = false;

  const draw = (): void => {
    waiting = null;
    drawnEditor = store.getState().editor;
    const nowMs = clock.now().getTime();
    // When it came early, the next has to wait for as much longer. The clock of the machine may be set back.
    pauseMs = Math.min(Math.max(dueMs - nowMs, 0), earlyMs) + frameMs;
    dueMs = nowMs + pauseMs;
    for (const listener of listeners) listener();
  };
  const request = (): void => {
    const nowMs = clock.now().getTime();
    const isTyped = store.getState().editor !== drawnEditor;
    const waitMs = Math.min(dueMs - (isTyped ? earlyMs : 0) - nowMs, pauseMs);
    if (waitMs <= 0) {
      draw();
      return;
    }
    if (waiting !== null && waiting.untilMs <= nowMs + waitMs) return;
    const own = { untilMs: nowMs + waitMs };
    waiting = own;
    void clock.sleep(waitMs).then(() => {
      if (waiting === own) draw();
    });
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
