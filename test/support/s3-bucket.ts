// A bucket of its own on the server of TEST_S3_URL, which speaks S3 in earnest, and what stands in it.
// Invariant: the server takes the key `id` with the secret `secret`, as .ci/object-server.sh starts it.
import { randomBytes } from "node:crypto";
import { AwsClient } from "aws4fetch";
import type { ObjectsLocation } from "../../src/store/object-storage/object-files.ts";

/** Undefined: there is none, and the fake one has to do. */
export const s3Url = process.env["TEST_S3_URL"] || undefined;

export interface Bucket {
  /** As the setting `objects` names it. */
  readonly setting: string;
  readonly place: ObjectsLocation;
  /** The paths of all objects. */
  list(): Promise<readonly string[]>;
  get(path: string): Promise<Buffer>;
  put(path: string, bytes: Buffer): Promise<void>;
  delete(path: string): Promise<void>;
}

/** `describe` for a real server. `reason` ends the title: why the fake one cannot have these tests. */
export function onS3Server(reason: string) {
  const runs = s3Url === undefined ? describe.skip : describe;
  return (title: string, body: () => void): void => runs(`${title} (on a real server alone: ${reason})`, body);
}

export async function createBucket(endpoint: string): Promise<Bucket> {
  const keys = { region: "us-east-1", accessKeyId: "id", secretAccessKey: "secret" };
  const client = new AwsClient({ service: "s3", ...keys });
  const bucket = `test-${randomBytes(6).toString("hex")}`;
  const ask = async (path: string, init: { readonly method?: string; readonly body?: Buffer } = {}) => {
    const answer = await client.fetch(`${endpoint}/${bucket}${path}`, init);
    if (!answer.ok) throw new Error(`${init.method ?? "GET"} ${path}: ${answer.status} ${await answer.text()}`);
    return Buffer.from(await answer.arrayBuffer());
  };
  await ask("", { method: "PUT" });
  return {
    setting: `s3:${endpoint}/${bucket}`,
    place: { kind: "s3", endpoint, bucket, ...keys },
    async list() {
      const answer = (await ask("?list-type=2")).toString("utf8");
      if (!answer.includes("<IsTruncated>false<")) throw new Error("Expected one page of objects, got more.");
      return [...answer.matchAll(/<Key>([^<]*)<\/Key>/gu)].map(([, path]) => path!);
    },
    get: (path) => ask(`/${path}`),
    put: async (path, body) => void (await ask(`/${path}`, { method: "PUT", body })),
    delete: async (path) => void (await ask(`/${path}`, { method: "DELETE" })),
  };
}
