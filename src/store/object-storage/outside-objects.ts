// Stores objects outside the database: as files in a folder, or in an S3-compatible service.
// Invariant: each user's objects have their own prefix, and every failure is a StoreError `objects_failed`. A file
// contains its whole object from the moment it exists, even if the process or the machine stops. An answer other than
// success is an error, except that reading a missing object returns null, and removing one does nothing.
import { createHash, randomUUID } from "node:crypto";
import { RuntimeError } from "../../base/errors.ts";
import { type BucketLocation, type ObjectFiles, objectsFailed, type ObjectsLocation } from "./object-files.ts";
import { type Objects, type ObjectsListing, requireKey } from "./objects.ts";
import { valueOn } from "../../base/thrown-values.ts";
import { access, readdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { appendAll } from "../../base/lists.ts";
import { makeFolder, moveInto } from "../../base/replace-file.ts";
import type { AwsClient } from "aws4fetch";

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

/** Returns the path of an object in its storage. It contains a hash of the user id, because the id can have any characters. */
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

function createFolderFiles(folder: string): ObjectFiles {
  const fileOf = (path: string): string => join(folder, path);
  return {
    has: (path) => access(fileOf(path)).then(() => true, valueOn("ENOENT", false)),
    read: (path) => readFile(fileOf(path)).catch(valueOn("ENOENT", null)),
    async write(path, bytes) {
      const target = fileOf(path);
      await makeFolder(dirname(target));
      // Each writer has its own draft, so two writers of one object do not overwrite each other's draft.
      await moveInto(target, { draft: `${target}.${randomUUID()}`, content: bytes, mode: 0o600 });
    },
    remove: (path) => rm(fileOf(path), { force: true }),
    list: () => pathsIn(folder),
  };
}

/** Returns the paths of all files in a folder and its subfolders, with `/` as the separator. */
async function pathsIn(folder: string): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(valueOn("ENOENT", []))) {
    if (entry.isFile()) paths.push(entry.name);
    if (!entry.isDirectory()) continue;
    const below = await pathsIn(join(folder, entry.name));
    appendAll(
      paths,
      below.map((path) => `${entry.name}/${path}`),
    );
  }
  return paths;
}

/**
 * Stores files in a bucket through S3's REST API, with the bucket's name in the path:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html
 */
function createBucketFiles(place: BucketLocation): ObjectFiles {
  const { endpoint, bucket, region, accessKeyId, secretAccessKey } = place;
  let opened: Promise<AwsClient> | undefined;
  const open = async (): Promise<AwsClient> => {
    const aws = await import("aws4fetch");
    // No retries here: the caller retries failed requests, within its own limits.
    return new aws.AwsClient({ service: "s3", region, accessKeyId, secretAccessKey, retries: 0 });
  };
  const call = async (method: string, path: string, bytes?: Uint8Array<ArrayBuffer>): Promise<Uint8Array | null> => {
    const client = await (opened ??= open());
    const answer = await client.fetch(`${endpoint}/${bucket}${path}`, { method, ...(bytes && { body: bytes }) });
    const body = new Uint8Array(await answer.arrayBuffer());
    if (answer.ok) return body;
    if (answer.status === 404 && method !== "PUT") return null;
    throw objectsFailed("s3", `answered ${method} with status ${answer.status}`, { status: answer.status });
  };
  return {
    has: async (path) => (await call("HEAD", `/${path}`)) !== null,
    read: (path) => call("GET", `/${path}`),
    write: async (path, bytes) => void (await call("PUT", `/${path}`, new Uint8Array(bytes))),
    remove: async (path) => void (await call("DELETE", `/${path}`)),
    async list() {
      const paths: string[] = [];
      let token: string | undefined;
      do {
        const query = new URLSearchParams({ "list-type": "2" });
        if (token !== undefined) query.set("continuation-token", token);
        const answer = await call("GET", `?${query.toString()}`);
        if (answer === null) throw objectsFailed("s3", `has no bucket \`${bucket}\``, null);
        const page = new TextDecoder().decode(answer);
        for (const [, path] of page.matchAll(/<Key>([^<]*)<\/Key>/gu)) paths.push(path!);
        token = /<NextContinuationToken>([^<]*)<\/NextContinuationToken>/u.exec(page)?.[1];
      } while (token !== undefined);
      return paths;
    },
  };
}
