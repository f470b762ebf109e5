// Runs one piece of work at a time and queues further inputs.
// Invariant: inputs run in the order in which they were sent. When an input fails or is interrupted, the queued inputs
// return to the editor, so that nothing runs after a failure that the user has not seen.
import type { Clock } from "../../base/clock.ts";
import { failureItem, stopNotice } from "./advice.ts";
import type { ChatStore } from "./chat-store.ts";
import type { ViewStatus } from "./view/chat-view.ts";
import { recalledEditor, typedText } from "./input/line-editor.ts";

/** Maximum milliseconds that leaving the chat waits for interrupted work to commit. */
const leaveMs = 3_000;

/** How work ended. `interrupted`: the user interrupted it; `stopped`: it ended early by itself, as after a failure. */
export type WorkEnd = "done" | "stopped" | "interrupted";

export interface Work {
  /** The work in one or two words, for the screen. */
  readonly activity: string;
  run(signal: AbortSignal): Promise<WorkEnd>;
}

export interface WorkLineOptions {
  readonly store: ChatStore;
  readonly clock: Clock;
  /** Returns the parts of the status that the work may have changed. */
  readonly status: () => Pick<ViewStatus, "window" | "waitsForApproval">;
  /** Starts the work of a queued input. */
  readonly start: (line: string) => void;
}

/** Creates a work line on which no work runs. */
export function createWorkLine({ store, clock, status, start }: WorkLineOptions) {
  const { dispatch } = store;
  let current: { readonly abort: AbortController; readonly ended: Promise<void> } | null = null;
  let isSteered = false;

  const carryOut = async ({ activity, run }: Work, signal: AbortSignal): Promise<void> => {
    dispatch({ type: "begin", activity, atMs: clock.now().getTime() });
    const end = await run(signal).catch((error: unknown): WorkEnd => {
      const interrupted = signal.aborted ? stopNotice("interrupted", 0) : null;
      dispatch({ type: "show", items: [interrupted ?? failureItem(error)] });
      return signal.aborted ? "interrupted" : "stopped";
    });
    current = null;
    dispatch({ type: "finish", ...status() });
    if (end === "stopped" || (end === "interrupted" && !isSteered)) restoreQueue(store, "\n");
    isSteered = false;
    const [next, ...rest] = store.getState().queue;
    if (next === undefined || store.getState().hasLeft) return;
    dispatch({ type: "set", change: { queue: rest } });
    start(next);
  };

  return {
    isBusy: () => current !== null,
    /** Starts work immediately; must not be called while other work runs. */
    begin(work: Work): void {
      const abort = new AbortController();
      // Starts in a later microtask, so that `current` is set before the work can end.
      const ended = Promise.resolve().then(() => carryOut(work, abort.signal));
      current = { abort, ended };
    },
    interrupt: () => current?.abort.abort(),
    /** Interrupts the work and continues with the queued inputs, which do not return to the editor. */
    steer(): void {
      isSteered = true;
      current?.abort.abort();
    },
    /** Interrupts the work, and waits up to 3 s for its end. */
    async stop(): Promise<void> {
      if (current === null) return;
      current.abort.abort();
      await Promise.race([current.ended, clock.sleep(leaveMs)]);
    },
  };
}

export type WorkLine = ReturnType<typeof createWorkLine>;

/** Moves the queued inputs back to the editor, before its text. `ending` is appended to them if the editor is empty. */
export function restoreQueue(store: ChatStore, ending = ""): void {
  const { queue, editor } = store.getState();
  if (queue.length === 0) return;
  const text = queue.join("\n") + (editor.text === "" ? ending : `\n${typedText(editor)}`);
  store.dispatch({ type: "set", change: { queue: [] } });
  store.dispatch({ type: "edit", editor: recalledEditor(text) });
}
