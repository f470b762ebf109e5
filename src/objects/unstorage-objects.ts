// Objects outside of the database: files in a folder, or an S3-compatible service, through unstorage's drivers.
// Invariant: each user's objects are under a prefix of their own, and what a driver fails to do is an error, although some of
// them return their failures or keep silent.
import { createHash } from "node:crypto";
import { StoreError } from "../errors.ts";
import { type Objects, requireKey } from "./objects.ts";

/** Where objects are kept, as the setting names it. */
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

/** The part of a driver that is used. */
interface Driver {
  hasItem(key: string, options: object): boolean | Promise<boolean>;
  getItemRaw?(key: string, options: object): unknown;
  setItemRaw?(key: string, value: unknown, options: object): unknown;
  removeItem?(key: string, options: object): unknown;
}

/** The user's objects there. The driver is loaded with the first use. */
export function createUnstorageObjects(place: ObjectsLocation, userId: string): Objects {
  let driver: Promise<Driver> | undefined;
  const use = async <Result>(work: (driver: Driver, path: string) => Promise<Result>, key: string): Promise<Result> => {
    const path = objectPath(userId, requireKey(key));
    try {
      driver ??= openDriver(place);
      return await work(await driver, path);
    } catch (cause) {
      if (cause instanceof StoreError) throw cause;
      throw objectsFailed(place, "did not do what was asked", cause);
    }
  };
  return {
    place: place.kind,
    create: (key, bytes) =>
      use(async (opened, path) => {
        if (await opened.hasItem(path, {})) return false;
        await opened.setItemRaw?.(path, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), {});
        // To the S3 driver, a bucket that is not there is an answer like any other.
        if (!(await opened.hasItem(path, {}))) throw objectsFailed(place, "did not keep an object");
        return true;
      }, key),
    get: (key) =>
      use(async (opened, path) => {
        const found = await opened.getItemRaw?.(path, {});
        if (found === null || found === undefined) return null;
        if (found instanceof ArrayBuffer) return new Uint8Array(found);
        // Errors but a missing file come back as values.
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

/** The path of an object in its place. A user's name can hold anything, so the path has a digest of it. */
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
  return new StoreError("objects_failed", `${where} ${what}. Check the setting \`objects\`, rights and room there.`, {
    cause,
  });
}
