// Converts modules and revisions between rows and records.
import { storableText } from "../../base/code-points.ts";
import type { ModuleRecord, NewModule, RevisionRecord } from "../port/records.ts";
import type { revisions } from "../schema.ts";

/** A row of `visibleModules`. */
export interface ModuleRow {
  readonly id: string;
  readonly user_id: string;
  readonly label: string;
  readonly scope: ModuleRecord["scope"];
  readonly description: string | null;
  readonly value: string;
  readonly max_length: number;
  readonly read_only: boolean;
  readonly revision: number;
  readonly version: number;
  readonly trust: ModuleRecord["trust"];
  readonly line_trust: ModuleRecord["lineTrust"];
}

export function moduleOfRow(row: ModuleRow): ModuleRecord {
  return {
    id: row.id,
    ownerId: row.user_id,
    label: row.label,
    scope: row.scope,
    description: row.description,
    value: row.value,
    limit: row.max_length,
    readOnly: row.read_only,
    revision: row.revision,
    version: row.version,
    trust: row.trust,
    lineTrust: row.line_trust,
  };
}

/** Returns a new module as `createModules` takes it. */
export function moduleRow(module: NewModule, position: number) {
  return {
    position,
    label: storableText(module.label),
    scope: module.scope,
    description: module.description === null ? null : storableText(module.description),
    value: storableText(module.value),
    maxLength: module.limit,
    readOnly: module.readOnly,
    trust: "user",
  };
}

/** A row of `revisions`, with the module's label. */
export type RevisionRow = typeof revisions.$inferSelect & { readonly label: string };

export function revisionOfRow(row: RevisionRow): RevisionRecord {
  return {
    moduleId: row.moduleId,
    label: row.label,
    revision: row.revision,
    before: row.before,
    after: row.after,
    origin: row.origin,
    client: row.client,
    editorId: row.editorId,
    agentId: row.agentId,
    toolName: row.toolName,
    callId: row.callId,
    messageId: row.messageId,
    conversationId: row.conversationId,
    undoes: row.undoes,
    trust: row.trust,
    lineTrust: row.lineTrust,
    external: row.external,
    at: row.createdAt,
  };
}
