// What the terminal shows or does besides the screen: its title and the bell.
// Invariant: the title before the chat is restored; a title contains no control characters.
import { stripControl } from "../../base/terminal-text.ts";
import type { Chat } from "./chat-session.ts";
import type { ViewState } from "./view/chat-view.ts";

// OSC 0 sets the title; CSI 22 and 23 save and restore it in terminals with a stack of titles. In others, an empty title lets
// the terminal choose its own.
const saveTitle = "\u001b[22;0t";
const restoreTitle = "\u001b]0;\u0007\u001b[23;0t";
const bell = "\u0007";
/** Terminals cut longer titles. */
const longestName = 60;

export interface SignalOptions {
  readonly hasTitle: boolean;
  write(sequence: string): void;
}

/** Follows the chat until the returned function is called, which restores the title. */
export function followChat(chat: Pick<Chat, "getState" | "subscribe">, { hasTitle, write }: SignalOptions): () => void {
  let title = "";
  let { endedTurns } = chat.getState();
  const update = (): void => {
    const state = chat.getState();
    if (hasTitle && titleOf(state) !== title) {
      title = titleOf(state);
      write(`\u001b]0;${title}\u0007`);
    }
    if (state.endedTurns !== endedTurns && state.hasBell) write(bell);
    ({ endedTurns } = state);
  };
  if (hasTitle) write(saveTitle);
  update();
  const unsubscribe = chat.subscribe(update);
  return () => {
    unsubscribe();
    if (hasTitle) write(restoreTitle);
  };
}

/** Returns the agent's name and what it does: `ada`, `ada: working`, `ada: needs approval`. */
export function titleOf({ status, activity }: ViewState): string {
  const name = stripControl(status.agentName).replaceAll(/\s+/gu, " ").slice(0, longestName);
  if (activity !== null) return `${name}: working`;
  return status.waitsForApproval ? `${name}: needs approval` : name;
}
