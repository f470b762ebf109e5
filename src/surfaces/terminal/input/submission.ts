// Handles a sent line: starts its work, queues it, or interrupts the current work for it.
// Invariant: a line that begins with a slash is never sent to the model; every sent line is added to the history.
import type { ChatStore } from "../chat-store.ts";
import { exitCommand } from "../commands/chat.ts";
import { findCommand, parseCommand, type TypedCommand } from "../commands/registry.ts";
import type { Conversation } from "../conversation.ts";
import { readApprovalLine } from "../dialogs/approval.ts";
import { shortened } from "../rows/labels.ts";
import type { ViewItem } from "../view/view-item.ts";
import type { WorkLine } from "../work-line.ts";
import { editorOf } from "./line-editor.ts";
import type { SentInputs } from "./sent-inputs.ts";

/** A long text is shown as its first and its last lines, because a question often follows what was pasted. */
const firstLines = 12;
const lastLines = 4;
const shownCharacters = 4_000;

interface SubmissionDeps {
  readonly store: ChatStore;
  readonly line: WorkLine;
  readonly conversation: Conversation;
  readonly inputs: SentInputs;
  /** Interrupts the work, shows the items and ends the chat. */
  leave(items: readonly ViewItem[]): Promise<void>;
}

export function createSubmission({ store, line, conversation, inputs, leave }: SubmissionDeps) {
  const { dispatch } = store;

  const start = (text: string): void => {
    const typed = parseCommand(text);
    dispatch({ type: "show", items: [sentItem(text.trimEnd())] });
    if (typed === null) line.begin({ activity: "thinking", run: (signal) => conversation.send(text, signal) });
    else line.begin({ activity: `/${typed.name}`, run: (signal) => conversation.runCommand(typed, signal) });
  };

  const runDuringTurn = async (text: string, typed: TypedCommand): Promise<void> => {
    // The reply so far becomes an item when the turn ends, and `/exit` is shown below it.
    if (typed.name === exitCommand.name) await leave([sentItem(text)]);
    else {
      dispatch({ type: "show", items: [sentItem(text)] });
      await conversation.runDuringTurn(typed);
    }
  };

  /** Whether an input interrupts the work: if it is urgent, or the turn only waits for the reply of another agent. */
  const interrupts = (isUrgent: boolean): boolean => {
    const { activity, turn } = store.getState();
    return isUrgent || (activity === null && turn.end?.stopReason === "awaiting-reply");
  };

  const submit = (sent: string, isUrgent: boolean): void => {
    const [asked] = line.isBusy() ? [] : conversation.agent().pendingApprovals;
    const answer = (asked === undefined ? null : readApprovalLine(sent, asked)) ?? { line: sent };
    if ("text" in answer) return dispatch({ type: "edit", editor: editorOf(answer.text) });
    const text = answer.line;
    inputs.remember(text);
    const typed = parseCommand(text);
    const { queue } = store.getState();
    if (!line.isBusy()) start(text);
    else if (typed !== null && findCommand(typed.name)?.isAlwaysReady === true) void runDuringTurn(text, typed);
    else {
      const hint = typed === null ? null : `/${typed.name} waits for the end of the turn. Ctrl+S interrupts the turn.`;
      dispatch({ type: "set", change: { hint, queue: isUrgent ? [text, ...queue] : [...queue, text] } });
      if (interrupts(isUrgent)) line.steer();
    }
  };

  return {
    /** Starts the work of a line; must not be called while busy. */
    start,
    submit: (text: string) => submit(text, false),
    /** Interrupts the current work, then runs the line and the queue. An empty line runs only the queue. */
    sendNow(text: string): void {
      if (text !== "") submit(text, true);
      else if (store.getState().queue.length > 0) line.steer();
    },
  };
}

export type Submission = ReturnType<typeof createSubmission>;

/** Returns the item for a sent text; a long text is shortened. */
function sentItem(text: string): ViewItem {
  const lines = text.split("\n");
  const left = lines.length - firstLines - lastLines;
  const more = `… ${left.toLocaleString("en")} more lines`;
  const kept = left < 2 ? lines : [...lines.slice(0, firstLines), more, ...lines.slice(-lastLines)];
  return { kind: "user", text: shortened(kept.join("\n"), shownCharacters) };
}
