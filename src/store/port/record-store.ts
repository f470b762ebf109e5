// The port for simple records: rows of a user that only their fields describe, such as identities.
// Invariant: types only. What stores, operations and errors need to know about a kind of records is its `RecordKind`.
import type { Fields } from "../../base/arguments/forms.ts";
import type { ErrorCode } from "../../base/errors.ts";
import type { ListRange } from "./page.ts";

/** A kind of simple records. */
export interface RecordKind {
  /** One of them, such as "an identity". */
  readonly one: string;
  readonly fields: Fields;
  /** The values of new records for fields that are not given. */
  readonly defaults: Readonly<Record<string, unknown>>;
  /** The fields whose values no two records of a user share. */
  readonly unique: readonly string[];
  /** The code of the error for a value of a unique field that is in use. */
  readonly exists: ErrorCode;
  readonly notFound: ErrorCode;
}

export type ChangeOf<Of> = Partial<Omit<Of, "id" | "createdAt">>;

/**
 * Stores simple records. An id that is not a UUID matches none. Fields of a request of the list besides the range: `ids` admits
 * records with these ids, `name` those whose name contains the text, ignoring case, any other field those with its value.
 */
export interface RecordStore<Of, Request extends ListRange = ListRange> {
  /** Creates a record. Throws RequestError `exists` of its kind if the user has one with its value of a unique field. */
  create(record: Of): Promise<void>;
  find(id: string): Promise<Of | null>;
  /** Lists records. Empty if `after` or `before` is an unknown record. */
  list(request: Request): Promise<readonly Of[]>;
  count(): Promise<number>;
  /** Changes a record, and returns it; null if there is none. Throws the same error as `create`. */
  update(id: string, change: ChangeOf<Of>): Promise<Of | null>;
  /** Deletes a record. Returns false if there is none. */
  delete(id: string): Promise<boolean>;
}
