// SQL and rows of agents.
// Invariant: a record has every setting, even if its row was stored before the setting existed.
import { agentDefaults } from "../../config/settings.ts";
import { recordColumns } from "../own-rows.ts";
import { agentNameFor } from "../port/agent-name.ts";
import type { AgentRecord } from "../port/records.ts";
import { agents } from "../schema.ts";

export type AgentRow = typeof agents.$inferSelect;

export const agentColumns = `a.user_id as "userId", ${recordColumns(agents, "a")}`;

/** The values of settings that a row lacks because it was stored before these settings existed. */
const defaults = agentDefaults();

export function agentOfRow({ userId: ownerId, ...row }: AgentRow, userId: string): AgentRecord {
  const { name, settings } = row;
  return { ...row, ownerId, name: agentNameFor(userId, { ownerId, name }), settings: { ...defaults, ...settings } };
}
