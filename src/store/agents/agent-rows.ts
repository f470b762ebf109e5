// Converts agents between rows and records.
// Invariant: a record has every setting, even if its row is older than the setting.
import { agentDefaults } from "../../config/settings.ts";
import { agentNameFor } from "../port/agent-name.ts";
import type { AgentRecord } from "../port/records.ts";
import type { agents } from "../schema.ts";
import { timeOf } from "../stored-times.ts";

export type AgentRow = typeof agents.$inferSelect;

/** The `agentColumns` of a hand-written statement, with times as text. */
export interface AgentColumns extends Omit<AgentRow, "createdAt"> {
  readonly createdAt: string;
}

/** For rows that are older than a setting. */
const defaults = agentDefaults();

/** Returns a row as this user's record. */
export function agentOfRow(row: AgentRow, userId: string): AgentRecord {
  return {
    id: row.id,
    ownerId: row.userId,
    name: agentNameFor(userId, { ownerId: row.userId, name: row.name }),
    model: row.model,
    protocol: row.protocol,
    memoryType: row.memoryType,
    systemPrompt: row.systemPrompt,
    settings: { ...defaults, ...row.settings },
    description: row.description,
    tags: JSON.parse(row.tags) as AgentRecord["tags"],
    metadata: JSON.parse(row.metadata) as AgentRecord["metadata"],
    extensions: JSON.parse(row.extensions) as AgentRecord["extensions"],
    createdAt: row.createdAt,
  };
}

/** Returns the columns of a hand-written statement as this user's record. */
export function agentOfColumns(row: AgentColumns, userId: string): AgentRecord {
  return agentOfRow({ ...row, createdAt: timeOf(row.createdAt) }, userId);
}
