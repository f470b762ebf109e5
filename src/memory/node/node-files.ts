// Converts the files of a node memory to references in its JSON, and back to files when it is read.
// Invariant: a deleted file is not an error: a note replaces it.
import { RequestError } from "../../base/errors.ts";
import type { FileInput, FilePart } from "../../base/message/file-part.ts";
import type { TextPart } from "../../base/message/message.ts";
import type { AttachmentStore } from "../../store/port/attachment-store.ts";
import type { ReadFile } from "../attachments/attachments.ts";
import { fileAddress, type NodeFile } from "./node-format.ts";

/** The user's attachments are `local_file`; files made by tools or the model are `tool_file`. */
export function referenceTo({ kind, location }: FilePart, side: "user" | "assistant"): NodeFile {
  const belongs = { belongs_to: side };
  if (location.type === "url") return { type: kind, transfer_method: "remote_url", url: location.url, ...belongs };
  return side === "user"
    ? { type: kind, transfer_method: "local_file", upload_file_id: location.id, ...belongs }
    : { type: kind, transfer_method: "tool_file", tool_file_id: location.id, ...belongs };
}

export interface FileSources {
  readonly attachments: Pick<AttachmentStore, "filesOf">;
  /** Returns the metadata of files at URLs, without fetching the files. */
  readonly read: (inputs: readonly FileInput[]) => Promise<readonly ReadFile[]>;
}

/** Returns the files in the given order, with a note instead of each deleted one. */
export async function rebuildFiles(
  files: readonly NodeFile[],
  { attachments, read }: FileSources,
): Promise<readonly (FilePart | TextPart)[]> {
  const ids = files.flatMap((file) => (file.transfer_method === "remote_url" ? [] : [fileAddress(file)]));
  const stored = ids.length === 0 ? [] : await attachments.filesOf(ids);
  const byId = new Map(stored.map((file) => [file.id, file]));
  return Promise.all(
    files.map(async (file) => {
      const address = fileAddress(file);
      if (file.transfer_method === "remote_url") return linkedFile(file, address, read);
      const found = byId.get(address);
      if (found === undefined) return note(file, "no longer stored");
      const { id, name, mediaType, bytes } = found;
      const location = { type: "attachment", id } as const;
      return found.part ?? { type: "file", location, kind: file.type, mediaType, name, bytes };
    }),
  );
}

async function linkedFile(file: NodeFile, url: string, read: FileSources["read"]): Promise<FilePart | TextPart> {
  try {
    const [found] = await read([{ url }]);
    return { type: "file", location: { type: "url", url }, ...found!.facts, kind: file.type };
  } catch (error) {
    if (error instanceof RequestError) return note(file, "its address is invalid");
    throw error;
  }
}

function note(file: NodeFile, reason: string): TextPart {
  return { type: "text", text: `[${file.type}: ${reason}]` };
}
