// The port for simple records: rows of a user without behaviour beyond their fields, such as identities.
// Invariant: types only. A `RecordKind` has everything that stores, operations and errors need to know about a kind.
import type { Fields } from "../../base/arguments/forms.ts";
import type { ErrorCode } from "../../base/errors.ts";
import type { ListRange } from "./page.ts";

/** A kind of simple records. */
export interface RecordKind {
  /** One record in words, such as "an identity". */
  readonly one: string;
  readonly fields: Fields;
  /** The values of new records for fields that are not given. */
  readonly defaults: Readonly<Record<string, unknown>>;
  /** The fields whose values are unique among the records of a user. */
  readonly unique: readonly string[];
  /** The error code if the value of a unique field is already in use. */
  readonly exists: ErrorCode;
  readonly notFound: ErrorCode;
}

export type ChangeOf<Of> = Partial<Omit<Of, "id" | "createdAt">>;

/**
 * Stores simple records. An id that is not a UUID matches none. Filters of a list request: `ids` selects records with these
 * ids, `name` records whose name contains the text, ignoring case, any other field records with an equal value.
 */
export interface RecordStore<Of, Request extends ListRange = ListRange> {
  /** Creates a record. Throws RequestError (the kind's code `exists`) if a record of the user has an equal unique field. */
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
