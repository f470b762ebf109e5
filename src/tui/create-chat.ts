// A chat without a screen: takes keys, and works on what is sent.
// Invariant: a line that begins with a slash is never sent to the model.
import { systemClock } from "../base/clock.ts";
import { approvalItem } from "./approval-item.ts";
import { type ApprovalLine, readApprovalLine } from "./approval-line.ts";
import type { Chat, ChatSession } from "./chat-session.ts";
import { createChatStore } from "./chat-store.ts";
import type { ScreenSize } from "./chat-view.ts";
import { waitingItems } from "./commands/file.ts";
import { commands, findCommand, parseCommand, type TypedCommand } from "./commands/registry.ts";
import { createConversation, statusOf } from "./conversation.ts";
import { createDialogHost } from "./dialogs/dialog-host.ts";
import { createFrames } from "./frames.ts";
import { createKeyHandler } from "./key-handler.ts";
import { editorOf } from "./line-editor.ts";
import { pastInputs, pastItems } from "./past-items.ts";
import type { Agent } from "./runtime-records.ts";
import { themeFor } from "./theme.ts";
import type { ViewItem } from "./view-item.ts";
import { openingState } from "./view-state.ts";
import { welcomeItem } from "./welcome-item.ts";
import { createWorkLine } from "./work-line.ts";

/** A chat that shows its welcome, and the end of the conversation if it is resumed. */
export function createChat(session: ChatSession, size: ScreenSize): Chat {
  const { agent, clock = systemClock } = session;
  const store = createChatStore(
    openingState({ status: statusOf(agent), size, history: pastInputs(agent.messages), theme: themeFor(session) }),
  );
  const { dispatch } = store;
  dispatch({ type: "show", items: openingItems(session) });

  const dialogs = createDialogHost(store);
  const conversation = createConversation(session, { store, clock, dialogs });
  const line = createWorkLine({
    store,
    clock,
    window: () => conversation.agent().window,
    start: (text) => start(text),
  });

  const start = (text: string): void => {
    const typed = parseCommand(text);
    dispatch({ type: "show", items: [{ kind: "user", text: text.trimEnd() }] });
    if (typed === null) line.begin({ activity: "thinking", run: (signal) => conversation.send(text, signal) });
    else line.begin({ activity: `/${typed.name}`, run: (signal) => conversation.runCommand(typed, signal) });
  };

  const runBesides = async (text: string, typed: TypedCommand): Promise<void> => {
    dispatch({ type: "show", items: [{ kind: "user", text }] });
    if (await conversation.runBesides(typed)) await leave();
  };

  const submit = (typedText: string): void => {
    const answer = line.isBusy() ? null : answerTo(conversation.agent(), typedText);
    if (answer?.type === "edit") {
      dispatch({ type: "edit", editor: editorOf(answer.text) });
      return;
    }
    const text = answer?.line ?? typedText;
    conversation.remember(text);
    const typed = parseCommand(text);
    if (!line.isBusy()) start(text);
    else if (typed !== null && findCommand(typed.name)?.isAlwaysReady === true) void runBesides(text, typed);
    else dispatch({ type: "queue", queue: [...store.getState().queue, text] });
  };

  const leave = async (): Promise<void> => {
    await line.stop();
    dispatch({ type: "leave" });
  };

  return {
    getState: store.getState,
    subscribe: createFrames(store, clock).subscribe,
    now: () => clock.now(),
    resize: (changed) => dispatch({ type: "resize", size: changed }),
    conversationId: () => conversation.agent().conversationId,
    handleKey: createKeyHandler({
      store,
      clock,
      commands,
      submit,
      pressInDialog: dialogs.press,
      interrupt: line.interrupt,
      isWorking: line.isBusy,
      leave: () => void leave(),
    }),
  };
}

function answerTo(agent: Agent, text: string): ApprovalLine | null {
  const [asked] = agent.pendingApprovals;
  return asked === undefined ? null : readApprovalLine(text, asked);
}

function openingItems(session: ChatSession): readonly ViewItem[] {
  const { messages, pendingApprovals } = session.agent;
  const waiting = [...pendingApprovals.map(approvalItem), ...waitingItems(session.files ?? [])];
  return [welcomeItem(session), ...pastItems(messages), ...waiting];
}
