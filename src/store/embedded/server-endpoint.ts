// Defines how clients reach the embedded server: by a unix socket or, where there are none, by loopback TCP with a secret.
// Invariant: only the owner of the store's folder can connect, through the socket folder's mode (0700) or the secret.
import { createHash, randomBytes, randomInt } from "node:crypto";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { StoreError } from "../../base/errors.ts";
import { folderError, type StoreFolder } from "./store-folder.ts";
import { systemErrorCode } from "../../base/thrown-values.ts";

/** A unix socket's path, or a port on the loopback interface and the `identityOf` of the server's folder. */
export type ServerEndpoint = { readonly path: string } | { readonly port: number; readonly folder: string };

/** Options for `postgres()`. */
export interface EmbeddedConnection {
  readonly host: string;
  readonly port: number;
  readonly path?: string;
  readonly username: string;
  readonly password: string;
  readonly database: string;
  readonly ssl: false;
}

// sun_path holds 108 bytes on Linux and 104 on macOS, including the final NUL.
const MAX_SOCKET_PATH = 100;
const SOCKET_NAME = ".s.PGSQL.";

/**
 * Returns a random socket path, in a folder that only its owner may enter. The name has PostgreSQL's form, so that
 * `psql -h FOLDER -p NUMBER` also works. Each server has its own path, so no server removes another server's socket.
 */
export function newSocketPath(folder: StoreFolder): string {
  return path.join(openSocketFolder(folder.root), `${SOCKET_NAME}${randomInt(10_000, 60_000)}`);
}

/**
 * Returns whether the endpoint can belong to this folder. A copy of a data folder contains a lock file with the endpoint of
 * the original folder's server, which must not be used.
 */
export function isEndpointOf(folder: StoreFolder, endpoint: ServerEndpoint): boolean {
  if ("port" in endpoint) return endpoint.folder === identityOf(folder);
  const parent = path.dirname(endpoint.path);
  return parent === path.join(folder.root, "socket") || path.basename(parent) === shortName(folder.root);
}

/** Returns a text that is the same for every path to a folder, and different for a copy of the folder. */
export function identityOf({ root }: StoreFolder): string {
  const { dev, ino } = statSync(root, { bigint: true });
  return `${dev} ${ino}`;
}

/** Returns the driver's options for connecting to this endpoint. */
export function connectionTo(folder: StoreFolder, endpoint: ServerEndpoint): EmbeddedConnection {
  const shared = { host: "127.0.0.1", username: "postgres", database: "postgres", ssl: false } as const;
  return "path" in endpoint
    ? {
        ...shared,
        port: Number(endpoint.path.slice(endpoint.path.lastIndexOf(".") + 1)),
        path: endpoint.path,
        password: "",
      }
    : { ...shared, port: endpoint.port, password: readSecret(folder) };
}

/** Returns the secret that a TCP client must know; created on first use, readable by the owner only. */
export function readSecret(folder: StoreFolder): string {
  if (existsSync(folder.secret)) return readFileSync(folder.secret, "utf8");
  const draft = `${folder.secret}.${randomBytes(4).toString("hex")}`;
  try {
    writeFileSync(draft, randomBytes(32).toString("hex"), { mode: 0o600, flag: "wx" });
    linkSync(draft, folder.secret);
  } catch (cause) {
    if (systemErrorCode(cause) !== "EEXIST") throw folderError(folder.root, cause);
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(folder.secret, "utf8");
}

/** Returns the folder of a store's sockets: in the store, or in the system's temporary folder for a long path. */
export function socketAddress(root: string): {
  readonly folder: string;
  readonly length: number;
  readonly limit: number;
} {
  const lengthIn = (folder: string): number => Buffer.byteLength(path.join(folder, `${SOCKET_NAME}00000`));
  const own = path.join(root, "socket");
  const folder = lengthIn(own) <= MAX_SOCKET_PATH ? own : path.join(os.tmpdir(), shortName(root));
  return { folder, length: lengthIn(folder), limit: MAX_SOCKET_PATH };
}

function openSocketFolder(root: string): string {
  const { folder } = socketAddress(root);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const facts = lstatSync(folder);
    if (!facts.isDirectory() || facts.uid !== process.getuid?.()) {
      throw new StoreError(
        "data_folder_invalid",
        `Expected ${folder} to be a folder owned by this user, for the database's socket, got ${facts.isDirectory() ? "a folder of another user" : "a file"}. Remove it.`,
      );
    }
    chmodSync(folder, 0o700);
  } catch (cause) {
    throw cause instanceof StoreError ? cause : folderError(folder, cause);
  }
  return folder;
}

function shortName(root: string): string {
  return `palimpsest-${createHash("sha256").update(root).digest("hex").slice(0, 16)}`;
}
