// Stores objects outside the database: as files in a folder, or in an S3-compatible service, through unstorage's
// drivers.
// Invariant: each user's objects have their own prefix, and every failure of a driver is an error, although some
// drivers return failures or ignore them.
import { createHash } from "node:crypto";
import { StoreError } from "../../base/errors.ts";
import { type Objects, requireKey } from "./objects.ts";

/** Where objects are stored, from the setting. */
export type ObjectsLocation =
  | { readonly kind: "folder"; readonly folder: string }
  | {
      readonly kind: "s3";
      /** `https://HOST`, without the bucket. */
      readonly endpoint: string;
      readonly bucket: string;
      readonly region: string;
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
    };

/** The methods of a driver that are used. */
interface Driver {
  hasItem(key: string, options: object): boolean | Promise<boolean>;
  getItemRaw?(key: string, options: object): unknown;
  setItemRaw?(key: string, value: unknown, options: object): unknown;
  removeItem?(key: string, options: object): unknown;
}

/** Returns the user's objects in this storage. The driver is loaded on first use. */
export function createUnstorageObjects(place: ObjectsLocation, userId: string): Objects {
  let driver: Promise<Driver> | undefined;
  const use = async <Result>(work: (driver: Driver, path: string) => Promise<Result>, key: string): Promise<Result> => {
    const path = objectPath(userId, requireKey(key));
    try {
      driver ??= openDriver(place);
      return await work(await driver, path);
    } catch (cause) {
      if (cause instanceof StoreError) throw cause;
      throw objectsFailed(place, "failed", cause);
    }
  };
  return {
    place: place.kind,
    create: (key, bytes) =>
      use(async (opened, path) => {
        if (await opened.hasItem(path, {})) return false;
        await opened.setItemRaw?.(path, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), {});
        // The S3 driver does not report a missing bucket as an error.
        if (!(await opened.hasItem(path, {}))) throw objectsFailed(place, "did not store an object");
        return true;
      }, key),
    get: (key) =>
      use(async (opened, path) => {
        const found = await opened.getItemRaw?.(path, {});
        if (found === null || found === undefined) return null;
        if (found instanceof ArrayBuffer) return new Uint8Array(found);
        // The driver returns errors other than a missing file as values.
        if (!Buffer.isBuffer(found)) throw objectsFailed(place, "could not read an object", found);
        return found;
      }, key),
    delete: (key) =>
      use(async (opened, path) => {
        if (!(await opened.hasItem(path, {}))) return;
        await opened.removeItem?.(path, {});
        if (await opened.hasItem(path, {})) throw objectsFailed(place, "could not delete an object");
      }, key),
  };
}

/**
 * Returns the path of an object in its storage. A user id can contain any characters, so the path has a digest of it.
 */
export function objectPath(userId: string, key: string): string {
  return `${createHash("sha256").update(userId).digest("hex")}/${key}`;
}

async function openDriver(place: ObjectsLocation): Promise<Driver> {
  if (place.kind === "folder") {
    const { default: folderDriver } = await import("unstorage/drivers/fs-lite");
    return folderDriver({ base: place.folder });
  }
  const { kind: _kind, ...options } = place;
  const { default: s3Driver } = await import("unstorage/drivers/s3");
  return s3Driver(options);
}

export function objectsFailed({ kind }: ObjectsLocation, what: string, cause?: unknown): StoreError {
  const where = kind === "folder" ? "The folder of objects" : "The object storage";
  return new StoreError(
    "objects_failed",
    `${where} ${what}. Check the setting \`objects\`, and the permissions and free space of the storage.`,
    {
      cause,
    },
  );
}
