// The settings of agents that are made up for tests.
import { defaultTiers } from "../../src/memory/context-report.ts";
import type { AgentSettings } from "../../src/memory/records.ts";

export const fakeSettings: AgentSettings = {
  contextWindow: null,
  coreMemoryLimit: 2000,
  maxSteps: 50,
  maxTurnTokens: null,
  maxTurnDollars: null,
  toolResultLimit: 3000,
  maxOutputTokens: 4096,
  keepLast: 10,
  warnAt: 0.75,
  compactAt: 0.9,
  compaction: "recursive",
  compactMessages: null,
  ringBatch: 10,
  ringEntries: 500,
  summarizer: null,
  timeZone: "UTC",
  removedTools: [],
  approvals: [],
  approvalTimeout: 86_400,
  scratchpadUpdate: "off",
  retention: {},
  layout: "stable",
  recentTurns: 4,
  tiers: defaultTiers,
};
