// Keeps objects in a bucket of an S3-compatible service, by its REST API with the bucket in the path:
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html
// Invariant: an answer other than success is an error, except that a missing object is read as null and removed as done.
import type { AwsClient } from "aws4fetch";
import { type BucketLocation, type ObjectFiles, objectsFailed } from "./object-files.ts";

export function createBucketFiles(place: BucketLocation): ObjectFiles {
  const { endpoint, bucket, region, accessKeyId, secretAccessKey } = place;
  let opened: Promise<AwsClient> | undefined;
  const open = async (): Promise<AwsClient> => {
    const aws = await import("aws4fetch");
    // The caller retries a failed request, within its own limits.
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
