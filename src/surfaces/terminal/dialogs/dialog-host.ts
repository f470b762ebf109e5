// Shows one dialog at a time, passes it the keys, and runs the work that it requests.
// Invariant: every opened dialog resolves: to the choice, or to null when it was closed or the chat ended.
import { messageOf } from "../../../base/thrown-values.ts";
import type { ChatStore } from "../chat-store.ts";
import type { Dialog, DialogStep } from "./dialog.ts";
import type { Key } from "../keys/key-codes.ts";

/** Creates a host with no dialog open. */
export function createDialogHost(store: ChatStore) {
  let current: OpenDialog | null = null;
  let last: Promise<unknown> = Promise.resolve();
  /** Number of dialogs that are open or wait. */
  let opened = 0;

  const show = async <Result>(dialog: Dialog<Result>, signal: AbortSignal): Promise<Result | null> => {
    if (signal.aborted) return null;
    const closing = new AbortController();
    try {
      return await new Promise<Result | null>((resolve) => {
        signal.addEventListener("abort", () => resolve(null), { once: true, signal: closing.signal });
        current = openDialog(store, dialog, resolve);
      });
    } finally {
      closing.abort();
      current = null;
      store.dispatch({ type: "dialog", dialog: null });
    }
  };

  return {
    /** Opens a dialog when earlier dialogs have ended. Resolves to its result; null if it ends without a choice. */
    open<Result>(dialog: Dialog<Result>, signal: AbortSignal): Promise<Result | null> {
      // If no dialog is open, this one is shown synchronously, because the next keys of the same chunk of input are for it.
      const result = opened === 0 ? show(dialog, signal) : last.then(() => show(dialog, signal));
      opened += 1;
      last = result
        .catch(() => null)
        .then(() => {
          opened -= 1;
        });
      return result;
    },
    press: (key: Key) => current?.press(key),
  };
}

export type DialogHost = ReturnType<typeof createDialogHost>;

interface OpenDialog {
  press(key: Key): void;
}

function openDialog<Result>(
  store: ChatStore,
  opened: Dialog<Result>,
  end: (result: Result | null) => void,
): OpenDialog {
  let dialog = opened;
  let work: AbortController | null = null;
  let hasEnded = false;
  const report = (changes: { readonly activity?: string; readonly failure?: string } = {}): void => {
    if (!hasEnded) store.dispatch({ type: "dialog", dialog: { dialog, activity: null, failure: null, ...changes } });
  };

  const close = (result: Result | null): void => {
    hasEnded = true;
    end(result);
  };

  const show = (next: Dialog<Result>): void => {
    dialog = next;
    report();
    void next.load?.().then(
      (loaded) => {
        if (dialog === next && work === null && !hasEnded) show(loaded);
      },
      (error: unknown) => {
        if (dialog === next && work === null) report({ failure: messageOf(error) });
      },
    );
  };

  const take = (step: DialogStep<Result>): void => {
    if (step.type === "close") close(step.result);
    else if (step.type === "work") void carryOut(step);
    else show(step.dialog);
  };

  const carryOut = async ({ activity, run }: Extract<DialogStep<Result>, { type: "work" }>): Promise<void> => {
    const abort = new AbortController();
    work = abort;
    report({ activity });
    try {
      const step = await run(abort.signal);
      work = null;
      if (!hasEnded) take(abort.signal.aborted ? { type: "show", dialog } : step);
    } catch (error) {
      work = null;
      report(abort.signal.aborted ? {} : { failure: messageOf(error) });
    }
  };

  show(opened);
  return {
    press(key) {
      if (key.chord === "ctrl+c") {
        work?.abort();
        close(null);
      } else if (work === null) take(dialog.press(key));
      else if (key.chord === "escape") work.abort();
    },
  };
}
