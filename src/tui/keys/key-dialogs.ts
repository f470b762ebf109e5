// The dialogs that keys open: earlier inputs, tool output, and going back to an earlier message.
// Invariant: a dialog that ends without a choice changes nothing; what was chosen or taken back stands in the prompt.
import type { ChatStore } from "../chat-store.ts";
import type { Conversation } from "../conversation.ts";
import type { DialogHost } from "../dialogs/dialog-host.ts";
import { historySearch } from "../dialogs/history-search.ts";
import { rewindDialog, rewindPoints, type Rewound } from "../dialogs/rewind.ts";
import { toolOutput } from "../dialogs/tool-output.ts";
import { countLabel } from "../rows/labels.ts";
import { recalledEditor } from "../input/line-editor.ts";
import type { Agent } from "../runtime-records.ts";
import { revertedItems } from "../view/reverted-items.ts";
import type { ViewItem } from "../view/view-item.ts";
import type { WorkLine } from "../work-line.ts";

export interface KeyDialogs {
  searchHistory(): void;
  showToolOutput(): void;
  /** Must not be called while the agent works. */
  rewind(): void;
}

export interface KeyDialogDeps {
  readonly store: ChatStore;
  readonly dialogs: DialogHost;
  readonly conversation: Conversation;
  readonly line: WorkLine;
}

export function createKeyDialogs({ store, dialogs, conversation, line }: KeyDialogDeps): KeyDialogs {
  const { dispatch } = store;
  // A dialog that a key has opened is closed by keys alone.
  const { signal } = new AbortController();

  return {
    searchHistory() {
      void dialogs.open(historySearch(store.getState().history.entries), signal).then((input) => {
        if (input !== null) dispatch({ type: "edit", editor: recalledEditor(input) });
      });
    },
    showToolOutput() {
      const dialog = toolOutput(store.getState().items);
      if (dialog === null) dispatch({ type: "hint", hint: "No tool was called yet." });
      else void dialogs.open(dialog, signal);
    },
    rewind() {
      const agent = conversation.agent();
      const points = rewindPoints(agent.messages);
      if (points.length === 0) {
        dispatch({ type: "hint", hint: "There is no message of yours in the window to go back to." });
        return;
      }
      line.begin({
        activity: "choosing a message",
        async run(stopped) {
          const rewound = await dialogs.open(rewindDialog(agent, points), stopped);
          if (rewound === null) return "done";
          dispatch({ type: "show", items: rewoundItems(rewound, agent) });
          dispatch({ type: "edit", editor: recalledEditor(rewound.point.text) });
          return "done";
        },
      });
    },
  };
}

function rewoundItems({ taken, memory }: Rewound, agent: Agent): readonly ViewItem[] {
  const kept = memory === "keep" ? " Memory is unchanged." : "";
  const text = `Went back: took back ${countLabel(taken.messages.length, "message")}. Your message stands in the prompt.${kept}`;
  return [{ kind: "notice", level: "note", text }, ...revertedItems(taken, agent.memory.modules)];
}
