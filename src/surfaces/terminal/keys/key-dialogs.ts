// Creates the dialogs that keys open: input history, tool output, and rewind.
// Invariant: a dialog that ends without a choice changes nothing; a chosen input or rewound message is put into the prompt.
import type { RevertMode } from "../../../agent/agent.ts";
import type { RevertedMemory } from "../../../agent/agent-results.ts";
import { modeLabels } from "../approval-mode.ts";
import type { ChatStore } from "../chat-store.ts";
import type { Conversation } from "../conversation.ts";
import type { DialogHost } from "../dialogs/dialog-host.ts";
import { approvalDialog } from "../dialogs/approval.ts";
import { acceptByEnter, choiceList } from "../dialogs/choice-list.ts";
import type { Dialog, DialogStep } from "../dialogs/dialog.ts";
import { pager, shownBeginning } from "../dialogs/pager.ts";
import { countLabel } from "../rows/labels.ts";
import { type Row, span } from "../rows/row.ts";
import { flatText, truncateRow, wrapText } from "../rows/wrap.ts";
import { rememberDraft } from "../input/input-history.ts";
import { editorOf, insertText, recalledEditor, typedText } from "../input/line-editor.ts";
import type { Agent, StoredMessage } from "../runtime-records.ts";
import { notice, revertedItems } from "../view/notices.ts";
import { ifUnchanged, visibleMessages } from "../view/past-items.ts";
import type { ViewItem } from "../view/view-item.ts";
import { missedSince } from "../watch-turn.ts";
import type { WorkLine } from "../work-line.ts";

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
    const { editor, queue, hasLeft, isAway, approvalMode } = store.getState();
    const [waiting, ...others] = conversation.agent().pendingApprovals;
    const callId = waiting?.callId;
    if (line.isBusy() || isAway || callId === asked) return;
    asked = callId;
    if (waiting === undefined || editor.text !== "" || queue.length > 0 || hasLeft) return;
    const question = approvalDialog(waiting, others.length + 1, modeLabels[approvalMode]);
    const answer = await dialogs.open(question, signal);
    if (answer === null) dispatch({ type: "set", change: { hint: laterHint } });
    else if ("line" in answer) submit(answer.line);
    else if ("text" in answer) dispatch({ type: "edit", editor: insertText(store.getState().editor, answer.text) });
    else {
      // Asks about the same call again, with the new mode.
      asked = undefined;
      dispatch(answer);
    }
  };
  // The first question opens after the caller has returned, so that keys that have already arrived are typed into the prompt.
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

export function createKeyDialogs({ store, dialogs, conversation, line }: KeyDialogDeps) {
  const { dispatch } = store;
  // The signal is never aborted: only keys close a dialog that a key has opened.
  const { signal } = new AbortController();

  return {
    searchHistory(): void {
      void dialogs.open(historySearch(store.getState().history.entries), signal).then((input) => {
        const { editor, history } = store.getState();
        if (input === null) return;
        dispatch({ type: "edit", editor: recalledEditor(input), history: rememberDraft(history, typedText(editor)) });
      });
    },
    showToolOutput(): void {
      const dialog = toolOutput(store.getState().items);
      if (dialog === null)
        dispatch({ type: "set", change: { hint: "There are no tool calls or thoughts to show yet." } });
      else void dialogs.open(dialog, signal);
    },
    /** Opens the rewind dialog. Must not be called during a turn. */
    rewind(): void {
      const agent = conversation.agent();
      const points = rewindPoints(agent.messages);
      if (points.length === 0) {
        dispatch({ type: "set", change: { hint: "The window contains no message of yours to rewind to." } });
        return;
      }
      line.begin({
        activity: "choosing a message",
        async run(stopped) {
          const missed = missedSince(agent);
          const rewound = await dialogs.open(rewindDialog(agent, points), stopped);
          dispatch({ type: "show", items: rewound === null ? missed() : rewoundItems(rewound, agent) });
          if (rewound === null) return "done";
          const { text } = rewound.point;
          dispatch({ type: "edit", editor: text.length > maxUnfolded ? recalledEditor(text) : editorOf(text) });
          return "done";
        },
      });
    },
  };
}

export type KeyDialogs = ReturnType<typeof createKeyDialogs>;

function rewoundItems({ taken, memory }: Rewound, agent: Agent): readonly ViewItem[] {
  const kept = memory === "keep" ? " Memory is unchanged." : "";
  const text = `Rewound: removed ${countLabel(taken.messages.length, "message")}. Your message is in the prompt.${kept}`;
  return [notice("note", text), ...revertedItems(taken, agent.memory.modules)];
}

/** Maximum UTF-16 units of a rewound message that the prompt shows in full, to be edited; a longer one is shown as a label. */
const maxUnfolded = 10_000;

/** Maximum UTF-16 units of an input or a message that are drawn, which is more than one row shows. */
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

/** A message to rewind to, and the number of messages that the rewind removes from the window. */
interface RewindPoint {
  readonly text: string;
  readonly count: number;
}

interface Rewound {
  readonly point: RewindPoint;
  readonly taken: RevertedMemory;
  readonly memory: RevertMode;
}

/** Returns the messages to which the user can rewind: the user's messages in the window, oldest first. */
export function rewindPoints(messages: readonly StoredMessage[]): readonly RewindPoint[] {
  const visible = new Set(visibleMessages(messages).filter(({ role }) => role === "user"));
  return messages.flatMap((message, index) =>
    visible.has(message) ? [{ text: message.text, count: messages.length - index }] : [],
  );
}

const choices: Readonly<Record<string, RevertMode>> = { enter: "revert", k: "keep", f: "force" };

/** Returns the rewind dialog. Its result is the chosen message and the reverted edits. The newest message is preselected. */
export function rewindDialog(agent: Pick<Agent, "pop" | "messages">, points: readonly RewindPoint[]): Dialog<Rewound> {
  const unchanged = ifUnchanged(agent);
  return choiceList({
    title: "Rewind to before a message (memory is reverted as well)",
    items: points,
    first: points.length - 1,
    rowOf: ({ text, count }, { isChosen }) => [
      span(`${countLabel(count, "message")} · `, "faint"),
      span(flatText(text.slice(0, shownLength)), isChosen ? "strong" : "plain"),
    ],
    keys: ["Enter rewind", "k keep memory", "f force"],
    accept(point, key) {
      const memory = choices[key];
      if (memory === undefined) return null;
      const run = async (): Promise<DialogStep<Rewound>> => {
        const taken = await agent.pop(point.count, { memory, ...unchanged });
        return { type: "close", result: { point, taken, memory } };
      };
      return { type: "work", activity: "rewinding", run };
    },
  });
}

/** Limits of the dialog with tool output: code points per text, and number of items. */
const maxCodePoints = 200_000;
const maxItems = 200;

const shownKinds = ["tool-call", "tool-result", "thought", "shell-output"] as const;

type Shown = Extract<ViewItem, { kind: (typeof shownKinds)[number] }>;

/** Returns a dialog of tool output, scrolled to the last call or shell command, else to the last item; null without items. */
export function toolOutput(items: readonly ViewItem[]): Dialog<never> | null {
  const shown = items.filter((item): item is Shown => shownKinds.some((kind) => kind === item.kind)).slice(-maxItems);
  if (shown.length === 0) return null;
  const first = shown.findLast(({ kind }) => kind === "tool-call" || kind === "shell-output") ?? shown.at(-1);
  let page: Page | null = null;
  const pageAt = (width: number): Page => (page?.width === width ? page : (page = pageOf(shown, first, width)));
  return pager<never>({
    hints: ["Esc close", "Up, Down scroll", "PgUp, PgDn page", "Home, End"],
    rows: (width) => pageAt(width).rows,
    start: (width) => pageAt(width).start,
    head: (width, place) => [truncateRow([span(`Tool output and thoughts, ${place}`, "strong")], width)],
    answer: (key) => (closing.has(key) ? { type: "close", result: null } : null),
  });
}

const closing: ReadonlySet<string> = new Set(["escape", "ctrl+o", "q"]);

interface Page {
  readonly width: number;
  readonly rows: readonly Row[];
  /** The index of the row at which the dialog opens. */
  readonly start: number;
}

function pageOf(items: readonly Shown[], opened: Shown | undefined, width: number): Page {
  const parts = items.map((item) => rowsOf(item, width));
  const above = parts.slice(0, opened === undefined ? 0 : items.indexOf(opened));
  return { width, rows: parts.flat(), start: above.flat().length };
}

function rowsOf(item: Shown, width: number): readonly Row[] {
  if (item.kind === "tool-call") {
    const head = truncateRow([span("⏺ ", "accent"), span(item.name, "strong")], width);
    return [head, ...wrapText(shownBeginning(item.arguments, maxCodePoints), "faint", { width, lead: [span("    ")] })];
  }
  const isThought = item.kind === "thought";
  const tone = isThought ? "faint" : item.kind === "tool-result" && item.status === "failed" ? "removed" : "plain";
  const lead = [span(isThought ? "✻ " : "  ⎿ ", "faint")];
  const text = item.kind === "shell-output" ? item.text.trimEnd() : item.text.trim();
  return [...wrapText(shownBeginning(text, maxCodePoints), tone, { width, lead }), []];
}
