// Runs errands, during which the chat must not use the terminal: the suspension of the process, or the user's editor.
// Invariant: one errand runs at a time; after it, the chat redraws, and keeps the typed text unless the editor has changed it.
import type { ChatHost } from "./chat-host.ts";
import type { ChatStore } from "./chat-store.ts";
import { editorOf, typedText } from "./input/line-editor.ts";

/** A function that runs while another program has the chat's terminal. */
export type Errand = () => Promise<void>;

/** Creates the errands of a chat; none waits at first. Without a host, `begin` only shows a hint. */
export function createErrands(store: ChatStore, host: ChatHost | undefined) {
  const { dispatch } = store;
  let waiting: Errand | null = null;

  const errandOf = (kind: "suspend" | "edit", { suspend, edit }: ChatHost): Errand => {
    if (kind === "suspend") return suspend;
    return async () => {
      const given = typedText(store.getState().editor);
      const end = await edit(given);
      // While the editor ran, queued inputs may have been put into the prompt, before its text.
      const returned = typedText(store.getState().editor).slice(0, -given.length || undefined);
      if (end.type === "edited") dispatch({ type: "edit", editor: editorOf(returned + end.text) });
      else dispatch({ type: "set", change: { hint: `${end.reason} Your text is unchanged.` } });
    };
  };

  return {
    begin(kind: "suspend" | "edit"): void {
      if (host === undefined) {
        dispatch({ type: "set", change: { hint: "Not available: this chat cannot start other programs." } });
        return;
      }
      waiting = errandOf(kind, host);
      dispatch({ type: "set", change: { isAway: true, hint: null } });
    },
    /** Returns the waiting errand and removes it; null if there is none. */
    take(): Errand | null {
      const errand = waiting;
      waiting = null;
      return errand && (() => errand().finally(() => dispatch({ type: "set", change: { isAway: false } })));
    },
  };
}
