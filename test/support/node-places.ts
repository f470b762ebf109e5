// The places in which node memories are kept, and what can be seen there from outside.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type ObjectServer, startObjectServer } from "./object-server.ts";
import { type Bucket, createBucket, s3Url } from "./s3-bucket.ts";

export interface NodePlace {
  /** The setting `objects`. */
  readonly setting: string;
  /** Paths of all objects of node memories, below the user's own folder. */
  keys(): Promise<readonly string[]>;
  /** The bytes of the only object whose path ends like this. */
  read(end: string): Promise<Buffer>;
  /** Damages it. */
  overwrite(end: string, bytes: Buffer): Promise<void>;
  remove(end: string): Promise<void>;
}

export interface NodePlaces {
  readonly folder: NodePlace;
  /** On the server of TEST_S3_URL, where there is one. */
  readonly s3: NodePlace;
  /** The fake service, which has the faults that such services have. */
  readonly faulty: NodePlace & { readonly server: ObjectServer };
  close(): Promise<void>;
}

export async function openNodePlaces(): Promise<NodePlaces> {
  const folder = mkdtempSync(path.join(tmpdir(), "palimpsest-nodes-"));
  const server = await startObjectServer();
  const faulty = { server, ...placeIn(fakeBucket(server)) };
  return {
    folder: placeIn(folderBucket(folder)),
    s3: s3Url === undefined ? faulty : placeIn(await createBucket(s3Url)),
    faulty,
    async close() {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Objects = Omit<Bucket, "place">;

function placeIn({ setting, list, get, put, delete: drop }: Objects): NodePlace {
  const nodes = async () => (await list()).filter((name) => name.includes("/node_memory/") && name.endsWith(".json"));
  return {
    setting,
    keys: async () => (await nodes()).map((name) => name.replace(/^[0-9a-f]{64}\//u, "")),
    read: async (end) => get(only(await nodes(), end)),
    overwrite: async (end, bytes) => put(only(await nodes(), end), bytes),
    remove: async (end) => drop(only(await nodes(), end)),
  };
}

function folderBucket(folder: string): Objects {
  const fileOf = (name: string): string => path.join(folder, name);
  return {
    setting: `folder:${folder}`,
    list: async () =>
      existsSync(folder)
        ? readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => name.split(path.sep).join("/"))
        : [],
    get: async (name) => readFileSync(fileOf(name)),
    put: async (name, bytes) => writeFileSync(fileOf(name), bytes),
    delete: async (name) => rmSync(fileOf(name)),
  };
}

function fakeBucket(server: ObjectServer): Objects {
  const before = "/things/";
  return {
    setting: server.setting,
    list: async () => [...server.objects.keys()].map((name) => name.slice(before.length)),
    get: async (name) => server.objects.get(before + name)!,
    put: async (name, bytes) => server.put(before + name, bytes),
    delete: async (name) => server.drop(before + name),
  };
}

function only(names: readonly string[], end: string): string {
  const found = names.filter((name) => name.endsWith(`/${end}`));
  if (found.length !== 1) throw new Error(`Expected one object at ${end}, got ${found.length}`);
  return found[0]!;
}
