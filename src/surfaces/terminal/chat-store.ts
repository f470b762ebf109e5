// Holds the state of a chat and notifies subscribers of changes.
// Invariant: the state changes only by actions through the reducer.
import type { ViewState } from "./view/chat-view.ts";
import { reduceView, type ViewAction } from "./view/view-state.ts";

/** Creates a store with the state `initial`. */
export function createChatStore(initial: ViewState) {
  let state = initial;
  const listeners = new Set<() => void>();
  return {
    getState: () => state,
    dispatch(action: ViewAction): void {
      state = reduceView(state, action);
      for (const listener of listeners) listener();
    },
    /** Calls the listener after each change of the state. Returns a function that ends the subscription. */
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export type ChatStore = ReturnType<typeof createChatStore>;
