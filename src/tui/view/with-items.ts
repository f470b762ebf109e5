// Appends finished items to the state.
// Invariant: hints of notices name the command that started the program.
import { nameCommand } from "../../base/started-command.ts";
import type { ViewState } from "./chat-view.ts";
import type { ViewItem } from "./view-item.ts";

export function withItems(state: ViewState, items: readonly ViewItem[]): ViewState {
  if (items.length === 0) return state;
  return { ...state, items: [...state.items, ...items.map((item) => named(item, state.command))] };
}

function named(item: ViewItem, command: string): ViewItem {
  if (item.kind !== "notice") return item;
  const text = nameCommand(item.text, command);
  return item.advice === undefined ? { ...item, text } : { ...item, text, advice: nameCommand(item.advice, command) };
}
