// Uploads a file into a folder.
// Invariant: what cannot be read leaves nothing behind; a name that exists is handled as the client says.
import * as z from "zod";
import { RequestError } from "../../../../base/errors.ts";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { Fault } from "../../fault.ts";
import type { Source } from "../archives/collections.ts";
import { invalidArgument } from "../wire-fault.ts";
import type { SourceFile } from "./shown-folder.ts";

const handling = z.enum(["skip", "error", "suffix", "replace"]).optional();

export const uploadQuery = z.object({ name: z.string().min(1).optional(), duplicate_handling: handling });
export const uploadForm = z.object({
  file: z.file(),
  name: z.string().min(1).optional(),
  duplicate_handling: handling,
});

export interface Upload {
  readonly file: File;
  readonly name: string;
  readonly handling: z.output<typeof handling>;
}

/** Throws Fault with the status 415 for a file that cannot be read, and 400 for a name that exists or cannot be used. */
export async function uploadFile(
  { sources }: Pick<UserRuntime, "sources">,
  { id }: Source,
  { file, name: wanted, handling: duplicates = "suffix" }: Upload,
): Promise<SourceFile> {
  const files = await sources.files(id);
  const existing = files.find(({ path }) => path === wanted);
  if (existing !== undefined && duplicates === "skip") return existing;
  if (existing !== undefined && duplicates === "error")
    throw invalidArgument("file", `File '${wanted}' already exists in this folder.`);
  const isFree = existing === undefined || duplicates === "replace";
  const name = isFree ? wanted : freeName(wanted, new Set(files.map(({ path }) => path)));
  const bytes = new Uint8Array(await file.arrayBuffer());
  const reason = await loadFile(sources, id, { name, data: bytes });
  if (reason !== null) {
    if (existing === undefined) await sources.removeFile(id, name);
    throw new Fault(415, "source_file_unreadable", `The file ${name} cannot be read. ${reason}`);
  }
  const loaded = (await sources.files(id)).find(({ path }) => path === name);
  if (loaded === undefined) throw invalidArgument("file", `The file ${name} was removed while it was uploaded.`);
  return loaded;
}

/** Returns why the file could not be read; null if it was. */
async function loadFile(
  sources: UserRuntime["sources"],
  folder: string,
  file: { readonly name: string; readonly data: Uint8Array },
): Promise<string | null> {
  try {
    const { failed } = await sources.load(folder, [file]);
    return failed[0]?.reason ?? null;
  } catch (error) {
    if (error instanceof RequestError && error.code === "source_file_unreadable") return error.message;
    throw error;
  }
}

/** `notes.txt` becomes `notes_(1).txt`. */
function freeName(name: string, taken: ReadonlySet<string>): string {
  const dot = name.lastIndexOf(".");
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ""];
  for (let number = 1; ; number += 1) {
    const free = `${stem}_(${number})${extension}`;
    if (!taken.has(free)) return free;
  }
}
