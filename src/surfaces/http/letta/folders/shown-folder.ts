// Folders and their files as Letta's API shows them.
// Invariant: a file is read when it is uploaded, so its status is final: completed, or error with the reason.
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { notesOf, type Source } from "../archives/collections.ts";
import type { embeddingConfigOf } from "../archives/shown-archive.ts";
import { shownOrganizationId, shownUserId } from "../ids.ts";
import { momentOf } from "../wire-values.ts";

export const folderShape = z.looseObject({ id: z.string(), name: z.string(), description: z.string().nullable() });
export const fileShape = z.looseObject({ id: z.string(), source_id: z.string(), processing_status: z.string() });

export type SourceFile = Awaited<ReturnType<UserRuntime["sources"]["files"]>>[number];

export function shownFolder(source: Source, embeddingConfig: Awaited<ReturnType<typeof embeddingConfigOf>>) {
  const notes = notesOf(source);
  const updatedAt = notes.updated_at === undefined ? source.createdAt : new Date(notes.updated_at);
  return {
    name: notes.name ?? source.name,
    description: source.description,
    instructions: notes.instructions ?? null,
    metadata: notes.metadata ?? null,
    id: `source-${source.id}`,
    embedding_config: embeddingConfig,
    organization_id: shownOrganizationId,
    vector_db_provider: "native",
    created_by_id: shownUserId,
    last_updated_by_id: shownUserId,
    created_at: momentOf(source.createdAt),
    updated_at: momentOf(updatedAt),
  };
}

const mediaTypes: Readonly<Record<SourceFile["kind"], string>> = {
  text: "text/plain",
  markdown: "text/markdown",
  html: "text/html",
  pdf: "application/pdf",
  "json-lines": "application/jsonl",
  code: "text/x-code",
};

export function shownFile({ id: sourceId }: Pick<Source, "id">, file: SourceFile) {
  const isRead = file.status === "loaded";
  return {
    source_id: `source-${sourceId}`,
    file_name: file.path,
    original_file_name: file.path,
    file_path: null,
    file_type: mediaTypes[file.kind],
    file_size: file.bytes,
    file_creation_date: null,
    file_last_modified_date: null,
    processing_status: isRead ? "completed" : "error",
    error_message: file.reason,
    total_chunks: file.passages,
    chunks_embedded: file.passages,
    content: null,
    id: `file-${file.id}`,
    organization_id: shownOrganizationId,
    created_at: momentOf(file.loadedAt),
    updated_at: momentOf(file.loadedAt),
  };
}
