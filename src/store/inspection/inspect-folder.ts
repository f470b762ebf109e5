// Examines the data folder of the embedded store: whether it can be used, its permissions, and its free space.
// Invariant: it creates nothing, even if the folder does not exist yet.
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import path from "node:path";
import { StoreError } from "../../base/errors.ts";
import type { FolderFacts } from "../port/inspection.ts";
import { socketAddress } from "../embedded/server-endpoint.ts";
import { findStoreFolder, folderError, type StoreFolder } from "../embedded/store-folder.ts";

export async function inspectFolder(given: string): Promise<FolderFacts> {
  const asked = path.resolve(given);
  const { folder, refusal } = findUsableFolder(asked);
  const root = folder?.root ?? asked;
  const place = nearestExisting(root);
  return {
    path: root,
    exists: existsSync(root),
    hasDatabase: folder !== undefined && existsSync(path.join(folder.database, "PG_VERSION")),
    refusal: refusal ?? refusalOf(place),
    mode: folder === undefined || process.platform === "win32" ? null : statSync(root).mode & 0o777,
    freeBytes: await freeBytesOf(place),
    socket: process.platform === "win32" ? null : socketAddress(root),
  };
}

function findUsableFolder(asked: string): { readonly folder?: StoreFolder; readonly refusal?: string } {
  try {
    const folder = findStoreFolder(asked);
    if (folder === undefined) return {};
    return statSync(folder.root).isDirectory() ? { folder } : { refusal: `${asked} is a file. Choose another folder.` };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { refusal: error.message };
  }
}

/** The folder itself, or its nearest existing parent, in which it would be created. */
function nearestExisting(asked: string): string {
  return existsSync(asked) || path.dirname(asked) === asked ? asked : nearestExisting(path.dirname(asked));
}

function refusalOf(place: string): string | null {
  try {
    accessSync(place, constants.R_OK | constants.W_OK | constants.X_OK);
    return null;
  } catch (cause) {
    return folderError(place, cause).message;
  }
}

async function freeBytesOf(place: string): Promise<number> {
  const { bavail, bsize } = await statfs(place);
  return bavail * bsize;
}
