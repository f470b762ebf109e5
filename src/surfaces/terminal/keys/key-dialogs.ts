// The dialogs that keys open: input history, tool output, and rewind.
// Invariant: a dialog that ends without a choice changes nothing; a chosen input or rewound message is put into the prompt.
import type { ChatStore } from "../chat-store.ts";
import type { Conversation } from "../conversation.ts";
import type { DialogHost } from "../dialogs/dialog-host.ts";
import { approvalDialog } from "../dialogs/approval.ts";
import { acceptByEnter, choiceList } from "../dialogs/choice-list.ts";
import type { Dialog } from "../dialogs/dialog.ts";
import { rewindDialog, rewindPoints, type Rewound } from "../dialogs/rewind.ts";
import { toolOutput } from "../dialogs/tool-output.ts";
import { countLabel } from "../rows/labels.ts";
import { span } from "../rows/row.ts";
import { flatText } from "../rows/wrap.ts";
import { editorOf, recalledEditor } from "../input/line-editor.ts";
import type { Agent } from "../runtime-records.ts";
import { notice, revertedItems } from "../view/notices.ts";
import type { ViewItem } from "../view/view-item.ts";
import type { WorkLine } from "../work-line.ts";

export interface KeyDialogs {
  searchHistory(): void;
  showToolOutput(): void;
  /** Opens the rewind dialog. Must not be called during a turn. */
  rewind(): void;
}

/**
 * Asks once about each call that waits for approval, when the work has ended. Does not ask while the prompt contains a
 * text, because keys then belong to the text.
 */
export function askApprovals(
  { store, dialogs, conversation, line }: KeyDialogDeps,
  submit: (line: string) => void,
): void {
  const { dispatch } = store;
  const { signal } = new AbortController();
  let asked: string | undefined;
  const ask = async (): Promise<void> => {
    const { editor, queue, hasLeft } = store.getState();
    const { pendingApprovals } = conversation.agent();
    const [waiting] = pendingApprovals;
    if (line.isBusy() || waiting?.callId === asked) return;
    asked = waiting?.callId;
    if (waiting === undefined || editor.text !== "" || queue.length > 0 || hasLeft) return;
    const answer = await dialogs.open(approvalDialog(waiting, pendingApprovals.length), signal);
    if (answer === null) dispatch({ type: "set", change: { hint: laterHint } });
    else if ("line" in answer) submit(answer.line);
    else dispatch({ type: "edit", editor: editorOf(answer.text) });
  };
  // Begins after the caller has returned, so that keys that have already arrived are typed into the prompt.
  void Promise.resolve().then(() => {
    store.subscribe(() => void ask());
    void ask();
  });
}

const laterHint = "The call still waits: y, e or n REASON decide. Any other message denies it.";

export interface KeyDialogDeps {
  readonly store: ChatStore;
  readonly dialogs: DialogHost;
  readonly conversation: Conversation;
  readonly line: WorkLine;
}

export function createKeyDialogs({ store, dialogs, conversation, line }: KeyDialogDeps): KeyDialogs {
  const { dispatch } = store;
  // The signal is never aborted: only keys close a dialog that a key has opened.
  const { signal } = new AbortController();

  return {
    searchHistory() {
      void dialogs.open(historySearch(store.getState().history.entries), signal).then((input) => {
        if (input !== null) dispatch({ type: "edit", editor: recalledEditor(input) });
      });
    },
    showToolOutput() {
      const dialog = toolOutput(store.getState().items);
      if (dialog === null) dispatch({ type: "set", change: { hint: "No tool was called yet, and no thought shown." } });
      else void dialogs.open(dialog, signal);
    },
    rewind() {
      const agent = conversation.agent();
      const points = rewindPoints(agent.messages);
      if (points.length === 0) {
        dispatch({ type: "set", change: { hint: "The window contains no message of yours to rewind to." } });
        return;
      }
      line.begin({
        activity: "choosing a message",
        async run(stopped) {
          const rewound = await dialogs.open(rewindDialog(agent, points), stopped);
          if (rewound === null) return "done";
          dispatch({ type: "show", items: rewoundItems(rewound, agent) });
          const { text } = rewound.point;
          dispatch({ type: "edit", editor: text.length > maxUnfolded ? recalledEditor(text) : editorOf(text) });
          return "done";
        },
      });
    },
  };
}

function rewoundItems({ taken, memory }: Rewound, agent: Agent): readonly ViewItem[] {
  const kept = memory === "keep" ? " Memory is unchanged." : "";
  const text = `Rewound: removed ${countLabel(taken.messages.length, "message")}. Your message is in the prompt.${kept}`;
  return [notice("note", text), ...revertedItems(taken, agent.memory.modules)];
}

/** Maximum UTF-16 units of a message that returns to the prompt unfolded, so that it can be changed. */
const maxUnfolded = 10_000;

/** Maximum UTF-16 units of an input that are drawn, which is more than one row shows. */
const shownLength = 400;

/** Returns a dialog that ends with the chosen input. `inputs`: oldest first. The newest is next to the typed text. */
export function historySearch(inputs: readonly string[]): Dialog<string> {
  return choiceList({
    title: "Earlier inputs",
    items: [...new Set(inputs.toReversed())],
    textOf: (input) => input,
    isUpward: true,
    rowOf: (input, { isChosen }) => [span(flatText(input.slice(0, shownLength)), isChosen ? "strong" : "plain")],
    keys: ["Enter take"],
    accept: acceptByEnter,
  });
}
