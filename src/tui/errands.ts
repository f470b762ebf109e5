// What the chat gives its terminal away for: to be stopped, and to let the user's editor have the text.
// Invariant: one at a time; whatever happens to it, the chat draws again afterwards and the typed text is not lost.
import type { ChatHost } from "./chat-host.ts";
import type { ChatStore } from "./chat-store.ts";
import { editorOf, typedText } from "./input/line-editor.ts";

/** Runs while the terminal is away. */
export type Errand = () => Promise<void>;

export interface Errands {
  begin(kind: "suspend" | "edit"): void;
  /** The errand that the screen has made room for; null when there is none. */
  take(): Errand | null;
}

/** None under way. Without a host, keys that need one say so. */
export function createErrands(store: ChatStore, host: ChatHost | undefined): Errands {
  const { dispatch } = store;
  let waiting: Errand | null = null;

  const errandOf = (kind: "suspend" | "edit", { suspend, edit }: ChatHost): Errand => {
    if (kind === "suspend") return suspend;
    return async () => {
      const end = await edit(typedText(store.getState().editor));
      if (end.type === "edited") dispatch({ type: "edit", editor: editorOf(end.text) });
      else dispatch({ type: "hint", hint: `${end.reason} Your text is as it was.` });
    };
  };

  return {
    begin(kind) {
      if (host === undefined) {
        dispatch({ type: "hint", hint: "This terminal cannot be given away." });
        return;
      }
      waiting = errandOf(kind, host);
      dispatch({ type: "away" });
    },
    take() {
      const errand = waiting;
      waiting = null;
      return errand;
    },
  };
}
