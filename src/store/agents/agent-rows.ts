// Agents between their form in the program and their rows.
// Invariant: a record has every setting, also when its row is older than the setting.
import { agentNameFor } from "../../memory/agent-name.ts";
import { defaultTiers } from "../../memory/context-report.ts";
import type { AgentRecord, AgentSettings } from "../../memory/records.ts";
import { defaultSearchWeights } from "../../memory/search-weights.ts";
import { defaultSynopsisLifetimes } from "../../memory/synopsis-store.ts";
import type { agents } from "../schema.ts";

export type AgentRow = typeof agents.$inferSelect;

/** What holds for agents that were made before there was such a setting. */
const laterSettings: Partial<AgentSettings> = {
  approvals: [],
  approvalTimeout: 86_400,
  scratchpadUpdate: "off",
  synopsis: "off",
  synopsisLifetimes: defaultSynopsisLifetimes,
  synopsisRefresh: "on-access",
  retention: {},
  searchWeights: defaultSearchWeights,
  layout: "stable",
  recentTurns: 4,
  tiers: defaultTiers,
  maxTurnTokens: null,
  maxToolCalls: 64,
  baseUrl: null,
  maxTurnDollars: null,
  compaction: "recursive",
  compactMessages: null,
  ringBatch: 10,
  ringEntries: 500,
  summarizer: null,
};

/** A row as a record for this user. */
export function agentOfRow(row: AgentRow, userId: string): AgentRecord {
  return {
    id: row.id,
    ownerId: row.userId,
    name: agentNameFor(userId, { ownerId: row.userId, name: row.name }),
    model: row.model,
    protocol: row.protocol,
    memoryType: row.memoryType,
    systemPrompt: row.systemPrompt,
    settings: { ...laterSettings, ...row.settings },
    createdAt: row.createdAt,
  };
}
