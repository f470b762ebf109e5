// The caller's own pool of connections, as the package `pg` (node-postgres) and compatible packages provide it.
// Invariant: types only; only what the store uses of a pool.

/** A `Pool` of the package `pg`, 8.11 or later, or an object with the same functions. */
export interface PgPool {
  connect(callback: (error: Error | undefined, client: PgPoolClient | undefined) => void): void;
  /** `max`: the maximum number of connections. */
  readonly options?: { readonly max?: number | undefined };
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

export interface PgPoolClient {
  query(statement: PgStatement): Promise<unknown>;
  on(event: "error" | "end", listener: () => void): unknown;
  removeListener(event: "error" | "end", listener: () => void): unknown;
  /** Returns the connection to the pool. `destroy`: closes the connection instead of keeping it. */
  release(destroy?: boolean): void;
}

export interface PgStatement {
  readonly text: string;
  // Not readonly, because it is mutable in the type declarations of `pg`.
  values?: unknown[];
  /** The name under which the statement is prepared; absent: it is not prepared. */
  readonly name?: string;
  readonly rowMode?: "array";
  readonly types?: { getTypeParser(typeId: number): (text: never) => unknown };
}
