// The port for examining a store, even one that cannot be opened. `src/store/inspection/` implements it.
// Invariant: reads change nothing and do not depend on each other: folder and lock can be read if the store cannot be
// opened.
import type { UserStore } from "./store.ts";
import type { VectorTable } from "./upkeep.ts";

/** The data folder of the embedded store. */
export interface FolderFacts {
  readonly path: string;
  readonly exists: boolean;
  /** Whether the folder already contains a database. */
  readonly hasDatabase: boolean;
  /** Why the folder cannot be used; null if it can. */
  readonly refusal: string | null;
  /** Permission bits; null where the system has none, and for a missing folder. */
  readonly mode: number | null;
  /** Free bytes that this user may still write. */
  readonly freeBytes: number;
  /** Path length of the server's socket in bytes and its limit; null where there are no unix sockets. */
  readonly socket: { readonly folder: string; readonly length: number; readonly limit: number } | null;
}

/** The process named in the lock. */
export interface LockOwner {
  readonly host: string;
  readonly pid: number;
}

/**
 * State of the data folder's lock. `free`: not held. `serving`: the holder answers. `waiting`: the holder runs but does not
 * answer now. `refusing`: the holder runs, but its socket refuses connections. `stopped`: the holder is suspended (Ctrl+Z).
 * `foreign`: taken on another host or in another container, which cannot be checked. `unreadable`: the lock file is damaged.
 */
export type LockFacts =
  | { readonly kind: "free" }
  | {
      readonly kind: "serving" | "waiting" | "refusing" | "stopped" | "foreign";
      readonly file: string;
      readonly owner: LockOwner;
    }
  | { readonly kind: "unreadable"; readonly file: string };

/** The database's version, and how its schema compares with the migrations of this version of Palimpsest. */
export interface DatabaseFacts {
  readonly serverVersion: string;
  /** Version of pgvector; null if the extension is not installed in the database. */
  readonly vectorVersion: string | null;
  readonly schema: "missing" | "older" | "current" | "newer" | "unknown";
  /** The newest migration that this version of Palimpsest has. */
  readonly newestMigration: string;
}

/** Rows whose user, agent, conversation or other parent does not exist. */
export interface Orphans {
  readonly table: string;
  /** The columns that contain the missing parent's key. */
  readonly columns: string;
  /** The table in which the parent is missing. */
  readonly missing: string;
  readonly rows: number;
}

/** Result of comparing the objects in the database with the rows that refer to them. */
export interface ObjectFaults {
  /** Number of objects that rows refer to. */
  readonly objects: number;
  /** Number of objects that rows refer to, but that are missing or incomplete. */
  readonly missing: number;
  /** Number of objects that no row refers to. */
  readonly unreferenced: number;
}

/** An object outside the database that a row names. */
export interface NamedObject {
  readonly userId: string;
  /** `folder` or `s3`, as in the setting `objects`. */
  readonly place: string;
  readonly key: string;
  /** False if the object need not exist, because it is still being written or its deletion is due. */
  readonly isRequired: boolean;
  /** Whether the object's deletion is due and its user is deleted, so that no runtime of the user will delete the object. */
  readonly isLeft: boolean;
}

/** The database's answer to a distance query. `ended`: the server closed the connection instead. */
export interface DistanceProbe {
  readonly kind: "right" | "wrong" | "ended";
  readonly dimensions: number;
}

export interface StoreInspector {
  /** Returns the data folder; null for a PostgreSQL server. */
  folder(): Promise<FolderFacts | null>;
  /** Returns the lock; null for a PostgreSQL server. */
  lock(): Promise<LockFacts | null>;
  /** Removes the permissions of group and others on the data folder. */
  makePrivate(): Promise<void>;
  /** Releases a lock that is `foreign` or `unreadable`. Throws StoreError `store_locked` for any other held lock. */
  unlock(): Promise<void>;
  /** Connects, and starts the embedded engine if needed; does not migrate the schema. Throws StoreError. */
  open(): Promise<InspectedStore>;
}

export interface InspectedStore {
  facts(): Promise<DatabaseFacts>;
  /** Checks the isolation of users. Throws StoreError if the runtime's role cannot be set, or bypasses the policies. */
  requireIsolation(): Promise<void>;
  /** Counts rows of all users that name a missing parent; null for a role that does not own the tables. */
  orphans(): Promise<readonly Orphans[] | null>;
  /**
   * Returns the vector tables that are large enough to need an index and have none; null for a role that does not own the
   * tables.
   */
  withoutIndex(): Promise<readonly VectorTable[] | null>;
  /** Compares rows of all users with the objects in the database; null for a role that does not own the tables. */
  objectFaults(): Promise<ObjectFaults | null>;
  /**
   * Lists the objects outside the database that rows of all users name; null for a role that does not own the tables.
   */
  externalObjects(): Promise<readonly NamedObject[] | null>;
  /** Computes distances in the database, on a separate connection. */
  probeDistance(): Promise<DistanceProbe>;
  as(userId: string): UserStore;
  close(): Promise<void>;
}
