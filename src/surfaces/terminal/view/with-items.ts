// Appends finished items to the state.
// Invariant: notices have the words of the chat, and name the command that started the program.
import { surfaceText } from "../../surface-words.ts";
import type { ViewState } from "./chat-view.ts";
import type { ViewItem } from "./view-item.ts";

export function withItems(state: ViewState, items: readonly ViewItem[]): ViewState {
  if (items.length === 0) return state;
  return { ...state, items: [...state.items, ...items.map((item) => named(item, state.command))] };
}

function named(item: ViewItem, command: string): ViewItem {
  if (item.kind !== "notice") return item;
  const text = surfaceText(item.text, "chat", command);
  if (item.advice === undefined) return { ...item, text };
  return { ...item, text, advice: surfaceText(item.advice, "chat", command) };
}
