// The store that a child process of a trial opens.
import type { StoreOptions } from "../../src/store/open-store.ts";

/** Values of the child's flags: a server, or the folder of an embedded database. */
export interface ChildPlace {
  readonly url?: string | undefined;
  readonly folder?: string | undefined;
}

export const connectionOf = ({ url, folder = "" }: ChildPlace): StoreOptions["connection"] =>
  url === undefined ? { kind: "embedded", folder, host: "worker" } : { kind: "server", url };
