// Converts modules and revisions between rows and records.
import { storableText } from "../../base/code-points.ts";
import type { ModuleRecord, NewModule, RevisionRecord } from "../../memory/records.ts";
import type { modules, revisions } from "../schema.ts";

/** A row of `visibleModules`. */
export interface ModuleRow {
  readonly label: string;
  readonly scope: ModuleRecord["scope"];
  readonly description: string | null;
  readonly value: string;
  readonly max_length: number;
  readonly read_only: boolean;
  readonly revision: number;
  readonly trust: ModuleRecord["trust"];
}

export function moduleOfRow(row: ModuleRow): ModuleRecord {
  return {
    label: row.label,
    scope: row.scope,
    description: row.description,
    value: row.value,
    limit: row.max_length,
    readOnly: row.read_only,
    revision: row.revision,
    trust: row.trust,
  };
}

export interface ModuleLocation {
  readonly userId: string;
  readonly agentId: string;
  readonly position: number;
}

/** Returns the row of a new module. */
export function moduleRow(module: NewModule, place: ModuleLocation): typeof modules.$inferInsert {
  return {
    ...place,
    label: storableText(module.label),
    scope: module.scope,
    description: module.description === null ? null : storableText(module.description),
    value: storableText(module.value),
    maxLength: module.limit,
    readOnly: module.readOnly,
    trust: "user",
  };
}

export function revisionOfRow(row: typeof revisions.$inferSelect): RevisionRecord {
  return {
    label: row.label,
    revision: row.revision,
    before: row.before,
    after: row.after,
    origin: row.origin,
    toolName: row.toolName,
    callId: row.callId,
    messageId: row.messageId,
    conversationId: row.conversationId,
    undoes: row.undoes,
    trust: row.trust,
    external: row.external,
    at: row.createdAt,
  };
}
