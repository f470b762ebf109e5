// The port to a store that is to be examined rather than used. `src/store/inspection/` implements it.
// Invariant: looking changes nothing, and works piece by piece: a store that cannot be opened still has a folder and a lock.
import type { UserStore } from "./store.ts";
import type { VectorTable } from "./upkeep.ts";

/** The data folder of the embedded store. */
export interface FolderFacts {
  readonly path: string;
  readonly exists: boolean;
  /** Whether the database in it was made yet. */
  readonly hasDatabase: boolean;
  /** Why it cannot be used; null when it can. */
  readonly refusal: string | null;
  /** Permission bits; null where the system has none, and for a folder that is not there. */
  readonly mode: number | null;
  /** Bytes that this user may still write there. */
  readonly freeBytes: number;
  /** Where the server's socket is, its length in bytes and the most that it may have; null where there are no unix sockets. */
  readonly socket: { readonly folder: string; readonly length: number; readonly limit: number } | null;
}

/** A process that is named in the lock. */
export interface LockOwner {
  readonly host: string;
  readonly pid: number;
}

/**
 * How the lock of the data folder stands. `free`: nobody holds it. `serving`: its holder answers. `waiting`: its holder runs
 * and does not answer now. `deaf`: its holder runs without its socket. `stopped`: its holder was stopped (Ctrl+Z).
 * `foreign`: it was taken on another host or in another container, which cannot be asked. `unreadable`: its file is damaged.
 */
export type LockFacts =
  | { readonly kind: "free" }
  | {
      readonly kind: "serving" | "waiting" | "deaf" | "stopped" | "foreign";
      readonly file: string;
      readonly owner: LockOwner;
    }
  | { readonly kind: "unreadable"; readonly file: string };

/** What the database is, and how its schema compares with the migrations of this program. */
export interface DatabaseFacts {
  readonly serverVersion: string;
  /** Null: the extension is not installed in the database. */
  readonly vectorVersion: string | null;
  readonly schema: "missing" | "older" | "current" | "newer" | "unknown";
  /** The newest migration that this program knows. */
  readonly newestMigration: string;
}

/** Rows whose user, agent, conversation or the like does not exist. */
export interface Orphans {
  readonly table: string;
  /** The columns that name what is missing. */
  readonly columns: string;
  /** The table in which it is missing. */
  readonly missing: string;
  readonly rows: number;
}

/** The rows and the objects of the database, compared. */
export interface ObjectFaults {
  /** How many objects rows name. */
  readonly objects: number;
  /** How many of them are not there, or not whole. */
  readonly missing: number;
  /** How many objects are there that no row names. */
  readonly unreferenced: number;
}

/** An object outside of the database that a row names. */
export interface NamedObject {
  readonly userId: string;
  /** `folder` or `s3`, as the setting `objects` has it. */
  readonly place: string;
  readonly key: string;
  /** False while the object may be missing: it is being written, or its deletion is due. */
  readonly isRequired: boolean;
}

/** What the database answered when it was asked for distances. `ended`: the server ended the connection instead. */
export interface DistanceProbe {
  readonly kind: "right" | "wrong" | "ended";
  readonly dimensions: number;
}

export interface StoreInspector {
  /** Null for a PostgreSQL server. */
  folder(): Promise<FolderFacts | null>;
  /** Null for a PostgreSQL server. */
  lock(): Promise<LockFacts | null>;
  /** Takes group and others their rights to the data folder. */
  makePrivate(): Promise<void>;
  /** Gives back a lock that is `foreign` or `unreadable`. Throws StoreError `store_locked` for any other that is held. */
  unlock(): Promise<void>;
  /** Connects, and starts the embedded engine if need be; a server's schema is left as it is. Throws StoreError. */
  open(): Promise<InspectedStore>;
}

export interface InspectedStore {
  facts(): Promise<DatabaseFacts>;
  /** Throws StoreError when the runtime's role cannot be taken on, or when policies do not hold for it. */
  requireIsolation(): Promise<void>;
  /** Over all users' rows, so only the owner of the tables can ask; null for anybody else. */
  orphans(): Promise<readonly Orphans[] | null>;
  /** Tables of vectors that are so large that an index would pay and have none; null for who does not own the tables. */
  withoutIndex(): Promise<readonly VectorTable[] | null>;
  /** The objects in the database, over all users; null for a role that does not own the tables. */
  objectFaults(): Promise<ObjectFaults | null>;
  /** The objects outside of the database that rows name, over all users; null for a role that does not own the tables. */
  externalObjects(): Promise<readonly NamedObject[] | null>;
  /** Has the database compute distances, on a connection of its own. */
  probeDistance(): Promise<DistanceProbe>;
  as(userId: string): UserStore;
  close(): Promise<void>;
}
