// A window's state and budget for tests that compile one, and the report of a window for tests that only store it.
import type { ContextBudget, ContextState } from "../../src/context/window/compile-context.ts";
import { type ContextReport, defaultTiers } from "../../src/store/port/context-report.ts";
import type { SearchableMemory } from "../../src/store/port/searchable-memory.ts";
import { loadPrompt } from "../../src/context/prompts/load-prompt.ts";
import { unscaled } from "../../src/model/tokens/token-scale.ts";

const none = { count: 0, isMore: false, first: null, last: null };

/** Of an agent without a message and a passage. */
export const nothingSearchable: SearchableMemory = {
  messages: none,
  lastBefore: null,
  passages: none,
  newestPassageId: null,
  tags: null,
  documents: { count: 0, isMore: false },
};

export const windowState = (change: Partial<ContextState> = {}): ContextState => ({
  systemPrompt: "Be kind.",
  stateKey: "k1",
  stateNote: loadPrompt("state-note"),
  layout: "stable",
  coreMemory: "<human>\nAda\n</human>",
  synopsis: null,
  summaries: [],
  messages: [],
  turnId: null,
  retrieved: [],
  openFiles: [],
  tools: [],
  render: ({ role, content }) => ({ role, content }),
  ...change,
});

/** A budget without limits, in which a character is a token. */
export const windowBudget = (change: Partial<ContextBudget> = {}): ContextBudget => ({
  window: Number.MAX_SAFE_INTEGER,
  reserve: 0,
  scale: unscaled,
  tiers: defaultTiers,
  recentTurns: 4,
  count: (text) => text.length,
  ...change,
});

const emptyTier = { tokens: 0, granted: 0, parts: {} };

export const storedReport: ContextReport = {
  layout: "stable",
  total: 120,
  demand: 120,
  window: 8192,
  reserve: 1024,
  counted: 120,
  factor: 1,
  tiers: {
    system: { tokens: 120, granted: 120, parts: { instructions: 120 } },
    working: emptyTier,
    archive: emptyTier,
  },
  leftOut: [],
  compacted: { messages: 0, summaries: 0 },
  overflow: null,
};
