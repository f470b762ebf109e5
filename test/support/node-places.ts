// The places in which node memories are kept, and what can be seen there from outside.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type ObjectServer, startObjectServer } from "./object-server.ts";

export interface NodePlace {
  /** The setting `objects`. */
  readonly setting: string;
  /** Paths of all objects of node memories, below the user's own folder. */
  keys(): readonly string[];
  /** The bytes of the only object whose path ends like this. */
  read(end: string): Buffer;
  /** Damages it. */
  overwrite(end: string, bytes: Buffer): void;
  remove(end: string): void;
}

export interface NodePlaces {
  readonly folder: NodePlace;
  readonly s3: NodePlace & { readonly server: ObjectServer };
  close(): Promise<void>;
}

export async function openNodePlaces(): Promise<NodePlaces> {
  const folder = mkdtempSync(path.join(tmpdir(), "palimpsest-nodes-"));
  const server = await startObjectServer();
  return {
    folder: folderPlace(folder),
    s3: { server, ...serverPlace(server) },
    async close() {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function folderPlace(folder: string): NodePlace {
  const files = (): readonly string[] =>
    existsSync(folder)
      ? readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".json"))
      : [];
  const fileOf = (end: string): string => path.join(folder, only(files(), end));
  return {
    setting: `folder:${folder}`,
    keys: () => files().map(belowUser),
    read: (end) => readFileSync(fileOf(end)),
    overwrite: (end, bytes) => writeFileSync(fileOf(end), bytes),
    remove: (end) => rmSync(fileOf(end)),
  };
}

function serverPlace(server: ObjectServer): NodePlace {
  const keys = (): readonly string[] => [...server.objects.keys()].filter((name) => name.includes("/node_memory/"));
  return {
    setting: server.setting,
    keys: () => keys().map((name) => belowUser(name.replace("/things/", ""))),
    read: (end) => server.objects.get(only(keys(), end))!,
    overwrite: (end, bytes) => server.put(only(keys(), end), bytes),
    remove: (end) => server.drop(only(keys(), end)),
  };
}

/** Without the folder of the user. */
function belowUser(name: string): string {
  return name
    .split(path.sep)
    .join("/")
    .replace(/^[0-9a-f]{64}\//u, "");
}

function only(names: readonly string[], end: string): string {
  const found = names.filter((name) => name.split(path.sep).join("/").endsWith(`/${end}`));
  if (found.length !== 1) throw new Error(`Expected one object at ${end}, got ${found.length}`);
  return found[0]!;
}
