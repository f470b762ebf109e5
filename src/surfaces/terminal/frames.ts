// Schedules redraws of the screen. A change is drawn at once, but not earlier than 34 ms after the last redraw. Typed text is
// drawn up to 19 ms earlier than that, and the next redraw is later by the same time.
// Invariant: at most 30 redraws per second on average; the last change is always followed by a redraw.
import type { Clock } from "../../base/clock.ts";
import type { ChatStore } from "./chat-store.ts";

const frameMs = 34;
/** Maximum milliseconds by which a redraw for typed text is earlier than other redraws. */
const earlyMs = 19;
/** Duration of one frame of the spinner. */
export const spinnerMs = 120;

/** Creates a scheduler that calls its listeners for each redraw: after changes of the store, and for the spinner. */
export function createFrames(store: ChatStore, clock: Clock): Pick<ChatStore, "subscribe"> {
  const listeners = new Set<() => void>();
  let dueMs = Number.NEGATIVE_INFINITY;
  /** Milliseconds from the last redraw to `dueMs`. */
  let pauseMs = frameMs;
  let drawnEditor = store.getState().editor;
  let waiting: { readonly untilMs: number } | null = null;
  let isTurning = false;

  const draw = (): void => {
    waiting = null;
    drawnEditor = store.getState().editor;
    const nowMs = clock.now().getTime();
    // After an early redraw, the next redraw is later by the same time, at most `earlyMs` even if the clock was set back.
    pauseMs = Math.min(Math.max(dueMs - nowMs, 0), earlyMs) + frameMs;
    dueMs = nowMs + pauseMs;
    for (const listener of listeners) listener();
  };
  const request = (): void => {
    const nowMs = clock.now().getTime();
    const isTyped = store.getState().editor !== drawnEditor;
    const waitMs = Math.min(dueMs - (isTyped ? earlyMs : 0) - nowMs, pauseMs);
    if (waitMs <= 0) return draw();
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
