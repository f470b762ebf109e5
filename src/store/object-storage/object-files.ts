// Defines the interface of object storage outside the database: files under paths.
// Invariant: every path was made by `outside-objects.ts`, so no adapter checks it again.
import { StoreError } from "../../base/errors.ts";

/** A bucket of an S3-compatible service. */
export interface BucketLocation {
  readonly kind: "s3";
  /** The service's URL, such as `https://HOST`, without the bucket. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Where objects are stored: the setting `objects`. */
export type ObjectsLocation = { readonly kind: "folder"; readonly folder: string } | BucketLocation;

export interface ObjectFiles {
  has(path: string): Promise<boolean>;
  /** Returns the object; null if there is none. */
  read(path: string): Promise<Uint8Array | null>;
  write(path: string, bytes: Uint8Array): Promise<void>;
  /** Removes the object; does nothing if there is none. */
  remove(path: string): Promise<void>;
  /** Returns the paths of all files, including files that another program put there. */
  list(): Promise<readonly string[]>;
}

export function objectsFailed(kind: ObjectsLocation["kind"], what: string, cause: unknown): StoreError {
  const where = kind === "folder" ? "The folder of objects" : "The object storage";
  return new StoreError(
    "objects_failed",
    `${where} ${what}. Check the setting \`objects\`, and the permissions and free space of the storage.`,
    { cause },
  );
}
