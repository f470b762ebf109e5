// Agents between their form in the program and their rows.
import type { AgentRecord } from "../memory/records.ts";
import type { agents } from "./schema.ts";

export type AgentRow = typeof agents.$inferSelect;

/** A row as a record. */
export function agentOfRow(row: AgentRow): AgentRecord {
  return {
    id: row.id,
    ownerId: row.userId,
    name: row.name,
    model: row.model,
    protocol: row.protocol,
    memoryType: row.memoryType,
    systemPrompt: row.systemPrompt,
    settings: row.settings,
    createdAt: row.createdAt,
  };
}
