// Archives and passages as Letta's API shows them.
// Invariant: the archive of an agent has the agent's UUID, so its passages need no table of their own.
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { shownOrganizationId, shownUserId } from "../ids.ts";
import { shownEmbeddingConfig } from "../models/shown-model.ts";
import { momentOf } from "../wire-values.ts";
import { notesOf, type Source } from "./collections.ts";

export const archiveShape = z.looseObject({ id: z.string(), name: z.string(), description: z.string().nullable() });
export const passageShape = z.looseObject({ id: z.string(), text: z.string(), archive_id: z.string().nullable() });

/** The fields by which a passage is shown. */
export interface ShownPassageFields {
  readonly id: string;
  readonly text: string;
  readonly tags: readonly string[];
  readonly at: Date;
  /** The id of the passage that replaced it. */
  readonly replacedBy?: string | undefined;
}

/** The configuration of the embedder that this server uses; null without one. */
export async function embeddingConfigOf({ models }: Pick<UserRuntime, "models">) {
  const used = (await models.embedders()).find(({ isUsed }) => isUsed);
  return used === undefined ? null : shownEmbeddingConfig(used);
}

type EmbeddingConfig = Awaited<ReturnType<typeof embeddingConfigOf>>;

function recordFields(createdAt: Date, updatedAt: Date) {
  return {
    created_by_id: shownUserId,
    last_updated_by_id: shownUserId,
    created_at: momentOf(createdAt),
    updated_at: momentOf(updatedAt),
    organization_id: shownOrganizationId,
  };
}

export function shownArchive(source: Source, embeddingConfig: EmbeddingConfig) {
  const notes = notesOf(source);
  const updatedAt = notes.updated_at === undefined ? source.createdAt : new Date(notes.updated_at);
  return {
    ...recordFields(source.createdAt, updatedAt),
    name: notes.name ?? source.name,
    description: source.description,
    vector_db_provider: "native",
    embedding_config: embeddingConfig,
    metadata: notes.metadata ?? null,
    id: `archive-${source.id}`,
  };
}

/** The archive that every agent has. */
export function shownAgentArchive(
  agent: { readonly id: string; readonly name: string; readonly createdAt: Date },
  embeddingConfig: EmbeddingConfig,
) {
  return {
    ...recordFields(agent.createdAt, agent.createdAt),
    name: `${agent.name}'s Archive`,
    description: "Default archive created automatically",
    vector_db_provider: "native",
    embedding_config: embeddingConfig,
    metadata: null,
    id: `archive-${agent.id}`,
  };
}

/** Vectors stay in the database: `embedding` is null. */
export function shownPassage(
  { id, text, tags, at, replacedBy }: ShownPassageFields,
  archiveId: string | null,
  embeddingConfig: EmbeddingConfig,
) {
  return {
    ...recordFields(at, at),
    is_deleted: false,
    archive_id: archiveId === null ? null : `archive-${archiveId}`,
    source_id: null,
    file_id: null,
    file_name: null,
    // Letta has no field for it.
    metadata: replacedBy === undefined ? {} : { replaced_by: `passage-${replacedBy}` },
    tags: tags.length === 0 ? null : tags,
    id: `passage-${id}`,
    text,
    embedding: null,
    embedding_config: embeddingConfig,
  };
}
