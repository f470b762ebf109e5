// What all views share: the client of the server, and the end of the session.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Client } from "../../client/create-client.ts";

export interface InspectorSession {
  readonly client: Client;
  /** Forgets the key and asks for another one. */
  readonly end: (reason: string | null) => void;
}

export const SessionContext = createContext<InspectorSession | null>(null);

export function useSession(): InspectorSession {
  const session = useContext(SessionContext);
  if (session === null) throw new TypeError("There is no session.");
  return session;
}
