// The port to object storage: bytes under keys, of one user.
// Invariant: a key is a short path of plain words, so none can lead out of the place that holds the objects.
import { RequestError } from "../errors.ts";

export interface Objects {
  /** As it is kept with what names an object: `database`, `folder`, `s3`. */
  readonly place: string;
  /** Writes an object that does not exist. False, with nothing written, when there is one of that key. */
  create(key: string, bytes: Uint8Array): Promise<boolean>;
  /** Null when there is none. */
  get(key: string): Promise<Uint8Array | null>;
  /** Does nothing when there is none. */
  delete(key: string): Promise<void>;
}

/** Every object of a place, of all users: to compare a place with the rows that name its objects. */
export interface ObjectsListing {
  /** As `Objects` has it. */
  readonly place: string;
  /** Whether listing asks another machine. */
  readonly isRemote: boolean;
  /** The paths of all objects that an `Objects` of this place has written. Throws StoreError `objects_failed`. */
  list(): Promise<readonly string[]>;
  /** The path of a user's object. */
  pathOf(userId: string, key: string): string;
}

const maxLength = 255;
const keyForm = /^[a-zA-Z0-9_-][a-zA-Z0-9._-]*(?:\/[a-zA-Z0-9_-][a-zA-Z0-9._-]*)*$/u;

/** The key, if it can be one: words of letters, digits, `_`, `-` and `.`, joined by slashes; none begins with a dot. */
export function requireKey(key: string): string {
  if (key.length <= maxLength && keyForm.test(key)) return key;
  throw new RequestError(
    "input_invalid",
    `Expected a key of words joined by slashes, of up to ${maxLength} letters, digits, "_", "-" and "." in all.`,
  );
}
