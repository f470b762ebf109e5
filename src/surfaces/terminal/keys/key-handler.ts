// Dispatches key presses to the chat.
// Invariant: the keys are those in `keybindings`; a paste is inserted and never interpreted as keys.
import type { Clock } from "../../../base/clock.ts";
import { stripControl } from "../../../base/terminal-text.ts";
import type { ChatStore } from "../chat-store.ts";
import { commands } from "../commands/registry.ts";
import { candidatesOf, completed, isSentAtOnce, selectedOf } from "../input/completion.ts";
import { recallInput, rememberDraft, rememberInput } from "../input/input-history.ts";
import {
  type Editor,
  editorCommands,
  emptyEditor,
  hasTrailingBackslash,
  insertPaste,
  insertText,
  moveLine,
  recalledEditor,
  typedText,
} from "../input/line-editor.ts";
import type { PastedFiles } from "../input/pasted-files.ts";
import type { Submission } from "../input/submission.ts";
import type { pressVim } from "../input/vim-keys.ts";
import type { KeyDialogs } from "./key-dialogs.ts";
import { restoreQueue } from "../work-line.ts";
import { type Key, keyOfCharacter, pressed, typed } from "./key-codes.ts";
import { type ChatCommand, commandFor, type KeyCommand } from "./keybindings.ts";

// These commands apply to the terminal, so they also work in a dialog.
const ofTheTerminal: ReadonlySet<KeyCommand | undefined> = new Set(["redraw", "suspend"] as const);

/** Creates the handlers of a chat's keys and pastes. A key may be text of several characters that arrived together. */
export function createKeyHandler(target: KeyTarget) {
  const { store } = target;
  const perform = createKeyCommands(target);
  const insert = (text: string, into: (editor: Editor, text: string) => Editor): void => {
    const clean = stripControl(text);
    if (clean !== "") store.dispatch({ type: "edit", editor: into(store.getState().editor, clean) });
  };

  // Reads the state for each key, because a key can open or close a dialog, so that the next keys have another receiver.
  const press = (key: Key): void => {
    const { hasLeft, dialog, vim, editor } = store.getState();
    if (hasLeft) return;
    const step = vim === null || dialog !== null ? null : target.pressVim({ vim, editor }, key, editorCommands);
    if (step !== null && typeof step === "object") return store.dispatch({ type: "edit", ...step });
    const { chord, text } = step === null ? key : pressed(step);
    const command = commandFor(chord);
    if (command !== undefined && (dialog === null || ofTheTerminal.has(command))) perform(command);
    else if (dialog !== null) target.pressInDialog({ chord, text });
    else if (chord === "") insert(text, insertText);
  };

  return {
    handleKey(key: Key): void {
      const { hasLeft, dialog } = store.getState();
      if (key.chord !== "") press(key);
      else if (dialog === null && !hasLeft && isUnmarkedPaste(key.text)) insert(key.text, insertPaste);
      else for (const one of keysOf(key.text)) press(one);
    },
    handlePaste(text: string): void {
      const { hasLeft, dialog } = store.getState();
      if (hasLeft) return;
      // Some terminals send an empty paste if the clipboard contains an image.
      if (dialog === null && text === "") target.pasteImage();
      else if (dialog === null) {
        const { cursor } = store.getState().editor;
        insert(text, insertPaste);
        target.pasted(stripControl(text), cursor);
      } else target.pressInDialog(typed(stripControl(text)));
    },
  };
}

/**
 * Whether a chunk is an unmarked paste: it has text on both sides of a line break, tabs aside. A line break beside another key
 * is a typed Enter.
 */
function isUnmarkedPaste(chunk: string): boolean {
  return /[^\p{Cc}]\t*[\r\n][\t\r\n]*[^\p{Cc}]/u.test(chunk);
}

/** Splits a chunk into keys; text between control characters stays together. */
function keysOf(chunk: string): readonly Key[] {
  // oxlint-disable-next-line no-control-regex -- keys in a chunk of text are control characters
  const parts = chunk.split(/([\u0000-\u001f\u007f])/u).filter((part) => part !== "");
  return parts.map((part) => (part.length === 1 ? keyOfCharacter(part) : typed(part)));
}

/** Time-out for a second Ctrl+C (leave) or a second Esc (clear or rewind). */
const secondPressMs = 1_000;
const clearHint = "Press Esc again to clear the text.";
const rewindHint = "Press Esc again to rewind to an earlier message.";
const leaveHint = "Press Ctrl+C again to leave.";

/** The actions of the chat that keys can trigger. */
interface KeyTarget extends Omit<Submission, "start">, KeyDialogs, PastedFiles {
  readonly store: ChatStore;
  readonly clock: Clock;
  /** Handles a key with vim's keys. Called only while the state has vim's keys. */
  readonly pressVim: typeof pressVim;
  pressInDialog(key: Key): void;
  redraw(): void;
  beginErrand(kind: "suspend" | "edit"): void;
  interrupt(): void;
  isWorking(): boolean;
  leave(): void;
}

/** Returns a function that performs the command of a key. Each command of the key table has one function here. */
function createKeyCommands(target: KeyTarget): (command: KeyCommand) => void {
  const { store } = target;
  const chatCommands: Readonly<Record<ChatCommand, () => void>> = {
    submit: () => submit(target, target.submit),
    "send-now": () => submit(target, target.sendNow),
    complete: () => {
      const state = store.getState();
      const candidates = candidatesOf(state, commands);
      const editor = candidates[state.chosen ?? -1]?.completed ?? completed(state, commands);
      if (editor !== null) store.dispatch({ type: "edit", editor });
    },
    "history-back": () => choose(target, -1) || travel(store, "back"),
    "history-forth": () => choose(target, 1) || travel(store, "forth"),
    interrupt: () => interruptOrGoBack(target),
    "search-history": () => target.searchHistory(),
    "tool-output": () => target.showToolOutput(),
    "approval-mode": () => store.dispatch({ type: "approval-mode" }),
    thoughts: () => {
      store.dispatch({ type: "thoughts" });
      if (store.getState().items.some(({ kind }) => kind === "thought")) target.redraw();
    },
    redraw: () => target.redraw(),
    suspend: () => target.beginErrand("suspend"),
    "edit-outside": () => target.beginErrand("edit"),
    "paste-image": () => target.pasteImage(),
    "clear-or-leave": createClearOrLeave(target),
    "leave-if-empty": () => {
      const { editor } = store.getState();
      if (editor.text === "") target.leave();
      else store.dispatch({ type: "edit", editor: editorCommands["delete-right"](editor) });
    },
  };
  const isChatCommand = (command: KeyCommand): command is ChatCommand => command in chatCommands;
  return (pressed) => {
    const { editor, isMultiline } = store.getState();
    const command = isMultiline ? multilineMeaning(pressed) : pressed;
    if (isChatCommand(command)) chatCommands[command]();
    else store.dispatch({ type: "edit", editor: editorCommands[command](editor) });
  };
}

function submit(target: KeyTarget, send: (line: string) => void): void {
  const { store, sendNow } = target;
  const state = store.getState();
  const { editor, history, vim } = state;
  const candidates = candidatesOf(state, commands);
  const chosen = candidates[selectedOf(state, candidates) ?? -1];
  if (chosen !== undefined && !isSentAtOnce(chosen)) return store.dispatch({ type: "edit", editor: chosen.completed });
  if (hasTrailingBackslash(editor)) {
    store.dispatch({ type: "edit", editor: editorCommands.newline(editorCommands["delete-left"](editor)) });
    return;
  }
  const text = (chosen === undefined ? typedText(editor) : chosen.completed.text).trimEnd();
  if (text === "") {
    if (send === sendNow) send("");
    return;
  }
  const begun = vim === null ? {} : { vim: { ...vim, mode: "insert" } as const };
  store.dispatch({ type: "edit", editor: emptyEditor, history: rememberInput(history, text), ...begun });
  send(text);
}

/** Moves the selection in the suggestions. Returns false if there are none, or during browsing of the history. */
function choose({ store }: KeyTarget, by: 1 | -1): boolean {
  const state = store.getState();
  const candidates = candidatesOf(state, commands);
  const { length } = candidates;
  if (length === 0 || state.history.position !== null) return false;
  const next = by + (state.chosen ?? (by === 1 ? (selectedOf(state, candidates) ?? -1) : length));
  store.dispatch({ type: "set", change: { chosen: next < 0 || next >= length ? null : next } });
  return true;
}

/** Returns the meaning of a key's command with multi-line input, which swaps sending and inserting a new line. */
function multilineMeaning(command: KeyCommand): KeyCommand {
  if (command === "submit") return "newline";
  return command === "newline" ? "submit" : command;
}

/** Up and Down: move through the lines of the text, then take queued inputs back, then move through earlier inputs. */
function travel(store: ChatStore, direction: "back" | "forth"): void {
  const { editor, history, queue } = store.getState();
  if (direction === "back" && editor.text === "" && queue.length > 0) return restoreQueue(store);
  const moved = moveLine(editor, direction === "back" ? "up" : "down");
  if (moved !== null) return store.dispatch({ type: "edit", editor: moved });
  const recalled = recallInput(history, typedText(editor), direction);
  if (recalled !== null)
    store.dispatch({ type: "edit", editor: recalledEditor(recalled.text), history: recalled.history });
}

/**
 * Esc: interrupts the current work, or clears the name of a command; a second press within the time-out clears the
 * text, or rewinds if there is none.
 */
function interruptOrGoBack({ store, clock, interrupt, isWorking, rewind }: KeyTarget): void {
  const { editor, hint } = store.getState();
  const secondHint = editor.text === "" ? rewindHint : clearHint;
  if (isWorking()) interrupt();
  else if (hint !== secondHint && !/^\/\S*$/u.test(editor.text)) hintFor(store, clock, secondHint);
  else if (editor.text !== "") clearText(store);
  else rewind();
}

/** Clears the text. The key Up recalls it. */
function clearText(store: ChatStore): void {
  const { editor, history } = store.getState();
  store.dispatch({ type: "edit", editor: emptyEditor, history: rememberDraft(history, typedText(editor)) });
}

/** Shows a hint until the time-out for a second press. */
function hintFor(store: ChatStore, clock: Clock, hint: string): void {
  store.dispatch({ type: "set", change: { hint } });
  void clock.sleep(secondPressMs).then(() => {
    if (store.getState().hint === hint) store.dispatch({ type: "set", change: { hint: null } });
  });
}

/** Ctrl+C: interrupts the current work, or clears the text, or shows a hint; a second press within the time-out leaves. */
function createClearOrLeave({ store, clock, interrupt, isWorking, leave }: KeyTarget): () => void {
  let leavesUntil = 0;
  return () => {
    const now = clock.now().getTime();
    if (now < leavesUntil) return leave();
    if (!isWorking() && store.getState().editor.text !== "") return clearText(store);
    interrupt();
    leavesUntil = now + secondPressMs;
    hintFor(store, clock, leaveHint);
  };
}
