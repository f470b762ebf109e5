// The port to object storage: bytes under keys, of one user.
// Invariant: a key is a short path without `..`, so no key leads out of the folder or bucket of the objects.
import { RequestError } from "../../base/errors.ts";

export interface Objects {
  /** The kind of storage, which is stored beside each key: `database`, `folder`, `s3`. */
  readonly place: string;
  /** Writes a new object. Returns false, with nothing written, if the key exists. */
  create(key: string, bytes: Uint8Array): Promise<boolean>;
  /** Returns the object; null if there is none. */
  get(key: string): Promise<Uint8Array | null>;
  /** Deletes an object; does nothing if there is none. */
  delete(key: string): Promise<void>;
}

/** Lists every object of a storage, of all users, to compare the objects with the rows that name them. */
export interface ObjectsListing {
  /** The kind of storage, as in `Objects`. */
  readonly place: string;
  /** Whether the listing sends requests to another machine. */
  readonly isRemote: boolean;
  /**
   * Returns the paths of all objects that an `Objects` of this storage has written. Throws StoreError `objects_failed`.
   */
  list(): Promise<readonly string[]>;
  pathOf(userId: string, key: string): string;
}

const maxLength = 255;
const keyForm = /^[a-zA-Z0-9_-][a-zA-Z0-9._-]*(?:\/[a-zA-Z0-9_-][a-zA-Z0-9._-]*)*$/u;

/**
 * Returns the key if it is valid: segments of letters, digits, `_`, `-` and `.`, separated by slashes, none starting with a
 * dot. Throws RequestError `input_invalid`.
 */
export function requireKey(key: string): string {
  if (key.length <= maxLength && keyForm.test(key)) return key;
  throw new RequestError(
    "input_invalid",
    `Expected an object key of at most ${maxLength} characters: segments of letters, digits, "_", "-" and ".", separated by "/", none starting with ".", got ${key.length > maxLength ? `${key.length} characters` : "a key of another form"}.`,
  );
}
