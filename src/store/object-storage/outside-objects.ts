// Stores objects outside the database: as files in a folder, or in an S3-compatible service.
// Invariant: each user's objects have their own prefix, and every failure is a StoreError `objects_failed`.
import { createHash } from "node:crypto";
import { RuntimeError } from "../../base/errors.ts";
import { createBucketFiles } from "./bucket-files.ts";
import { createFolderFiles } from "./folder-files.ts";
import { type ObjectFiles, objectsFailed, type ObjectsLocation } from "./object-files.ts";
import { type Objects, type ObjectsListing, requireKey } from "./objects.ts";

/** Returns the user's objects in this storage. */
export function createOutsideObjects(place: ObjectsLocation, userId: string): Objects {
  const use = withErrors(place);
  const pathOf = (key: string): string => objectPath(userId, requireKey(key));
  return {
    place: place.kind,
    create: (key, bytes) =>
      use("could not store an object", async (files) => {
        const path = pathOf(key);
        if (await files.has(path)) return false;
        await files.write(path, bytes);
        return true;
      }),
    get: (key) => use("could not read an object", (files) => files.read(pathOf(key))),
    delete: (key) => use("could not delete an object", (files) => files.remove(pathOf(key))),
  };
}

/** Lists the objects of all users. A bucket or a folder may contain other files too, which are left out. */
export function createObjectsListing(place: ObjectsLocation): ObjectsListing {
  const use = withErrors(place);
  return {
    place: place.kind,
    isRemote: place.kind === "s3",
    pathOf: objectPath,
    list: () =>
      use("could not be listed", async (files) =>
        (await files.list()).filter((path) => /^[0-9a-f]{64}\/[a-zA-Z0-9._/-]+$/u.test(path)),
      ),
  };
}

/** Returns the path of an object in its storage. A user id can contain any characters, so the path has a digest of it. */
function objectPath(userId: string, key: string): string {
  return `${createHash("sha256").update(userId).digest("hex")}/${key}`;
}

function withErrors(place: ObjectsLocation) {
  const files = place.kind === "folder" ? createFolderFiles(place.folder) : createBucketFiles(place);
  return async <Result>(what: string, work: (files: ObjectFiles) => Promise<Result>): Promise<Result> => {
    try {
      return await work(files);
    } catch (cause) {
      if (cause instanceof RuntimeError) throw cause;
      throw objectsFailed(place.kind, what, cause);
    }
  };
}
