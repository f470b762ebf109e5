// Provides the session that all views share: the client of the server, and a function that ends the session.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Client } from "../../client/create-client.ts";

export interface InspectorSession {
  readonly client: Client;
  /** Removes the key from the tab, and asks the user for a key. `reason`: the text to show; null for none. */
  readonly end: (reason: string | null) => void;
}

export const SessionContext = createContext<InspectorSession | null>(null);

export function useSession(): InspectorSession {
  const session = useContext(SessionContext);
  if (session === null) throw new TypeError("The view is outside of a `SessionContext`, so it has no session.");
  return session;
}
