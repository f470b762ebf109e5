// Holds the state of a chat and notifies subscribers of changes.
// Invariant: the state changes only by actions through the reducer.
import type { ViewState } from "./view/chat-view.ts";
import { reduceView, type ViewAction } from "./view/view-state.ts";

export interface ChatStore {
  getState(): ViewState;
  dispatch(action: ViewAction): void;
  /** Calls the listener after each change of the state. Returns a function that ends the subscription. */
  subscribe(listener: () => void): () => void;
}

/** Creates a store with the state `initial`. */
export function createChatStore(initial: ViewState): ChatStore {
  let state = initial;
  const listeners = new Set<() => void>();
  return {
    getState: () => state,
    dispatch(action) {
      state = reduceView(state, action);
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
