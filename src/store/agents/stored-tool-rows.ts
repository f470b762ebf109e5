// Converts rows of stored tools, whose JSON is stored as text.
import { storableJson, storableText } from "../../base/code-points.ts";
import type { AttachedTool, ServedTool, StoredTool, StoredToolChange } from "../port/stored-tool-store.ts";
import { timeOf } from "../stored-times.ts";

export interface StoredToolRow extends Pick<StoredTool, "id" | "name" | "description" | "kind" | "source"> {
  readonly parameters: string;
  readonly server_id: string | null;
  readonly definition: string | null;
  readonly result_limit: number | null;
  readonly requires_approval: boolean;
  readonly tags: string;
  readonly metadata: string;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface AttachedToolRow extends StoredToolRow {
  readonly agent_requires_approval: boolean | null;
  readonly agent_id: string;
}

export function storedToolOfRow(row: StoredToolRow): StoredTool {
  const { id, name, description, kind, source } = row;
  return {
    id,
    name,
    description,
    parameters: JSON.parse(row.parameters) as StoredTool["parameters"],
    kind,
    source,
    served: servedOf(row),
    resultLimit: row.result_limit,
    requiresApproval: row.requires_approval,
    tags: JSON.parse(row.tags) as StoredTool["tags"],
    metadata: JSON.parse(row.metadata) as StoredTool["metadata"],
    createdAt: timeOf(row.created_at),
    updatedAt: timeOf(row.updated_at),
  };
}

function servedOf({ server_id: serverId, definition }: StoredToolRow): ServedTool | null {
  return serverId === null || definition === null
    ? null
    : { serverId, ...(JSON.parse(definition) as DefinitionColumn) };
}

/** What the column `definition` has, as JSON. */
export type DefinitionColumn = Omit<ServedTool, "serverId">;

export function attachedToolOfRow(row: AttachedToolRow): AttachedTool {
  return { ...storedToolOfRow(row), agentRequiresApproval: row.agent_requires_approval };
}

/** Returns the values of columns for what the change has. */
export function columnsOf(change: StoredToolChange) {
  const { parameters, tags, metadata, description, source, ...others } = change;
  return {
    ...others,
    ...(description === undefined ? {} : { description: storableText(description) }),
    ...(source === undefined ? {} : { source: source === null ? null : storableText(source) }),
    ...(parameters === undefined ? {} : { parameters: storableJson(parameters) }),
    ...(tags === undefined ? {} : { tags: storableJson(tags) }),
    ...(metadata === undefined ? {} : { metadata: storableJson(metadata) }),
  };
}
