// What the keys of the table do: edits of the line, and the commands that go beyond it.
// Invariant: every command of the table has one function here.
import type { Clock } from "../base/clock.ts";
import type { ChatStore } from "./chat-store.ts";
import { type Completable, completeCommand } from "./completion.ts";
import type { DialogKey } from "./dialogs/dialog.ts";
import { recallInput, rememberInput } from "./input-history.ts";
import type { ChatCommand, KeyCommand } from "./keybindings.ts";
import { editorCommands, editorOf, emptyEditor, hasTrailingBackslash, moveLine } from "./line-editor.ts";

/** A second Ctrl+C within this time leaves. */
const leaveWindowMs = 1_000;
const leaveHint = "Press Ctrl+C again to leave.";

/** The chat, as keys act on it. */
export interface KeyTarget {
  readonly store: ChatStore;
  readonly clock: Clock;
  readonly commands: readonly Completable[];
  submit(line: string): void;
  pressInDialog(key: DialogKey): void;
  interrupt(): void;
  isWorking(): boolean;
  leave(): void;
}

/** A function that does what a key is bound to. */
export function createKeyCommands(target: KeyTarget): (command: KeyCommand) => void {
  const { store } = target;
  const chatCommands: Readonly<Record<ChatCommand, () => void>> = {
    submit: () => submit(target),
    complete: () => {
      const completed = completeCommand(store.getState().editor.text, target.commands);
      if (completed !== null) store.dispatch({ type: "edit", editor: editorOf(completed) });
    },
    "history-back": () => travel(store, "back"),
    "history-forth": () => travel(store, "forth"),
    interrupt: () => target.interrupt(),
    "clear-or-leave": createClearOrLeave(target),
    "leave-if-empty": () => {
      const { editor } = store.getState();
      if (editor.text === "") target.leave();
      else store.dispatch({ type: "edit", editor: editorCommands["delete-right"](editor) });
    },
  };
  const isChatCommand = (command: KeyCommand): command is ChatCommand => command in chatCommands;
  return (command) => {
    if (isChatCommand(command)) chatCommands[command]();
    else store.dispatch({ type: "edit", editor: editorCommands[command](store.getState().editor) });
  };
}

function submit({ store, submit: send }: KeyTarget): void {
  const { editor, history } = store.getState();
  if (hasTrailingBackslash(editor)) {
    store.dispatch({ type: "edit", editor: editorOf(`${editor.text.slice(0, -1)}\n`) });
    return;
  }
  if (editor.text.trim() === "") return;
  store.dispatch({ type: "edit", editor: emptyEditor, history: rememberInput(history, editor.text) });
  send(editor.text);
}

/** Up and Down: through the lines of the text first, then through earlier inputs. */
function travel(store: ChatStore, direction: "back" | "forth"): void {
  const { editor, history } = store.getState();
  const moved = moveLine(editor, direction === "back" ? "up" : "down");
  if (moved !== null) {
    store.dispatch({ type: "edit", editor: moved });
    return;
  }
  const recalled = recallInput(history, editor.text, direction);
  if (recalled !== null) store.dispatch({ type: "edit", editor: editorOf(recalled.text), history: recalled.history });
}

/** Ctrl+C: interrupts what works, else clears the text, else warns; the second within the time leaves. */
function createClearOrLeave({ store, clock, interrupt, isWorking, leave }: KeyTarget): () => void {
  let leavesUntil = 0;
  return () => {
    const now = clock.now().getTime();
    if (now < leavesUntil) {
      leave();
      return;
    }
    if (!isWorking() && store.getState().editor.text !== "") {
      store.dispatch({ type: "edit", editor: emptyEditor });
      return;
    }
    interrupt();
    leavesUntil = now + leaveWindowMs;
    store.dispatch({ type: "hint", hint: leaveHint });
    void clock.sleep(leaveWindowMs).then(() => {
      if (store.getState().hint === leaveHint) store.dispatch({ type: "hint", hint: null });
    });
  };
}
