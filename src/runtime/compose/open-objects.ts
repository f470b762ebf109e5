// Opens the configured storage for the contents of files.
import { homedir } from "node:os";
import path from "node:path";
import type { Config } from "../../config/settings.ts";
import { ConfigError } from "../../base/errors.ts";
import type { UserStore } from "../../store/port/store.ts";
import type { Objects, ObjectsListing } from "../../store/object-storage/objects.ts";
import type { ObjectsLocation } from "../../store/object-storage/object-files.ts";
import { createObjectsListing, createOutsideObjects } from "../../store/object-storage/outside-objects.ts";

type ObjectsConfig = Pick<Config, "objects" | "s3Region" | "s3AccessKeyId" | "s3SecretAccessKey">;

/** Returns the configured storage. Throws ConfigError for a relative path of a folder, and if the keys for S3 are missing. */
export function openObjects(config: ObjectsConfig, store: UserStore): Objects {
  const place = placeOf(config);
  return place === null ? store.objects : createOutsideObjects(place, store.userId);
}

/** Returns the listing of all users' objects; null if objects are in the database. Throws the same errors as `openObjects`. */
export function openObjectsListing(config: ObjectsConfig): ObjectsListing | null {
  const place = placeOf(config);
  return place === null ? null : createObjectsListing(place);
}

/** Returns the configured folder or S3 bucket for objects; null if objects are in the database. */
function placeOf({
  objects,
  s3Region: region,
  s3AccessKeyId,
  s3SecretAccessKey,
}: ObjectsConfig): ObjectsLocation | null {
  if (objects === "database") return null;
  if (objects.startsWith("folder:")) return { kind: "folder", folder: folderOf(objects.slice("folder:".length)) };
  if (s3AccessKeyId === null || s3SecretAccessKey === null) {
    throw new ConfigError(
      "objects: an s3 location needs s3AccessKeyId and s3SecretAccessKey (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY).",
    );
  }
  const { origin, pathname } = new URL(objects.slice("s3:".length));
  const bucket = pathname.slice(1);
  return {
    kind: "s3",
    endpoint: origin,
    bucket,
    region,
    accessKeyId: s3AccessKeyId,
    secretAccessKey: s3SecretAccessKey,
  };
}

/**
 * Returns the path of the folder. A relative path is refused: in another working folder, files would be missing, and deletions
 * would delete nothing.
 */
function folderOf(given: string): string {
  const folder = given.startsWith("~/") ? path.join(homedir(), given.slice(2)) : given;
  if (path.isAbsolute(folder)) return folder;
  throw new ConfigError(`objects: expected the path of a folder that is absolute or begins with "~/", got "${given}".`);
}
