// Lists the objects of all users in a storage outside the database.
// Invariant: only paths in the format of this project's adapters are listed: a bucket or a folder may contain other
// files too.
import { appendAll } from "../../base/lists.ts";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { AwsClient } from "aws4fetch";
import { systemErrorCode } from "../../base/thrown-values.ts";
import { StoreError } from "../../base/errors.ts";
import type { ObjectsListing } from "./objects.ts";
import { objectPath, objectsFailed, type ObjectsLocation } from "./unstorage-objects.ts";

export function createObjectsListing(place: ObjectsLocation): ObjectsListing {
  return {
    place: place.kind,
    isRemote: place.kind === "s3",
    pathOf: objectPath,
    async list() {
      try {
        const paths = place.kind === "folder" ? await pathsInFolder(place.folder) : await pathsInBucket(place);
        return paths.filter((path) => /^[0-9a-f]{64}\/[a-zA-Z0-9._/-]+$/u.test(path));
      } catch (cause) {
        if (cause instanceof StoreError) throw cause;
        throw objectsFailed(place, "could not be listed", cause);
      }
    },
  };
}

/** Returns the paths of all files in a folder and its subfolders, with `/`. */
async function pathsInFolder(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    // The folder is created with the first object, and may be deleted concurrently.
    if (systemErrorCode(error) === "ENOENT") return [];
    throw error;
  });
  const paths: string[] = [];
  for (const entry of entries) {
    if (entry.isFile()) paths.push(entry.name);
    if (!entry.isDirectory()) continue;
    const below = await pathsInFolder(join(folder, entry.name));
    appendAll(
      paths,
      below.map((path) => `${entry.name}/${path}`),
    );
  }
  return paths;
}

type Bucket = Extract<ObjectsLocation, { readonly kind: "s3" }>;

// Returns the paths of all objects in a bucket. unstorage's driver reads only the first page of a listing.
async function pathsInBucket(place: Bucket): Promise<readonly string[]> {
  const { endpoint, bucket, region, accessKeyId, secretAccessKey } = place;
  const client = new AwsClient({ service: "s3", region, accessKeyId, secretAccessKey });
  const paths: string[] = [];
  let token: string | undefined;
  do {
    const query = new URLSearchParams({ "list-type": "2" });
    if (token !== undefined) query.set("continuation-token", token);
    const answer = await client.fetch(`${endpoint}/${bucket}?${query.toString()}`);
    const page = await answer.text();
    if (!answer.ok) throw objectsFailed(place, "could not be listed", { status: answer.status });
    for (const [, path] of page.matchAll(/<Key>([^<]*)<\/Key>/gu)) paths.push(path!);
    token = /<NextContinuationToken>([^<]*)<\/NextContinuationToken>/u.exec(page)?.[1];
  } while (token !== undefined);
  return paths;
}
