// What a fake runtime has in it: one of each kind, as literals.
import type { ModuleView } from "../../src/runtime/memory/contract.ts";
import type { SynopsisView } from "../../src/runtime/synopsis/contract.ts";

export const fakeTime = new Date("2026-11-21T10:13:01.000Z");

export const nodeMemory = {
  app: "support",
  conversation: "conv-1",
  node: "answer",
  messages: 4,
  bytes: 900,
  updatedAt: new Date("2026-10-01T08:00:00Z"),
};

const synopsisPart = {
  trust: "model",
  at: fakeTime,
  expiresAt: new Date("2026-11-21T11:13:01.000Z"),
  isStale: false,
  memories: 500,
  leftOut: 1200,
  memoryTokens: 12_000,
  tokens: 300,
  model: "demo",
  usage: { inputTokens: 12_500, outputTokens: 200, cachedInputTokens: 0 },
  dollars: 0,
} as const;

export const synopsis: SynopsisView = {
  isOn: false,
  identity: { ...synopsisPart, content: { name: "Ada", preferences: ["tea"], traits: [] } },
  context: { ...synopsisPart, isStale: true, content: { recentTopics: ["sailing"], currentGoals: ["a boat"] } },
  text: "<synopsis>\nName: Ada\n</synopsis>",
  tokens: 600,
  memoryTokens: 12_000,
  savedPercent: 95,
};

export const key = {
  id: "key-1",
  name: "laptop",
  prefix: "pk_abcdef",
  scope: "chat",
  agentId: null,
  createdAt: fakeTime,
  lastUsedAt: null,
  revokedAt: null,
} as const;

export const humanModule: ModuleView = {
  id: "module",
  ownerId: "ada",
  label: "human",
  scope: "user",
  description: null,
  value: "Name: Ada\nLives in Lisbon",
  length: 25,
  limit: 2000,
  readOnly: false,
  revision: 1,
  trust: "model",
  lineTrust: null,
};

export const revision = {
  moduleId: "module",
  editorId: "ada",
  agentId: "agent",
  label: "human",
  revision: 1,
  before: "",
  after: "Name: Ada\nLives in Lisbon",
  origin: "model",
  client: null,
  toolName: "core_memory_append",
  callId: "call-1",
  messageId: "message-2",
  conversationId: "conversation-1",
  undoes: null,
  trust: "model",
  lineTrust: null,
  external: [],
  at: fakeTime,
} as const;

export const conversation = {
  id: "conversation-1",
  agentId: "agent-main",
  title: null,
  leafId: "message-2",
  createdAt: fakeTime,
  updatedAt: fakeTime,
  messages: 2,
  preview: "My name is Ada",
};

export const compaction = {
  id: "compaction-1",
  strategy: "ring",
  fromPosition: 11,
  throughPosition: 20,
  throughId: "message-20",
  summary: "They spoke of sailing.",
  threadMessages: 30,
  rangeTokens: 500,
  tokensBefore: 900,
  tokensAfter: 420,
  model: "demo",
  usage: { inputTokens: 500, outputTokens: 20, cachedInputTokens: 0 },
  dollars: 0.00123,
  focus: null,
  trust: "model",
  undoneAt: null,
  at: fakeTime,
} as const;

export const found = {
  hits: [{ id: "message-1", text: "I like sailing", role: "user", trust: "user", at: fakeTime }],
  page: 0,
  pageSize: 5,
  wordsAlone: false,
  total: 1,
} as const;

export const branches = [
  {
    id: "message-2",
    preview: "Hello Ada",
    messages: 2,
    at: fakeTime,
    isCurrent: true,
    forkId: null,
    ownMessages: 0,
  },
  {
    id: "message-3",
    preview: "Hello there",
    messages: 2,
    at: fakeTime,
    isCurrent: false,
    forkId: "message-1",
    ownMessages: 1,
  },
] as const;

const facts = { dimensions: 512, index: "none", indexBytes: 0, buildSeconds: 0 } as const;
export const optimized = {
  analyzed: ["messages", "passages"],
  analyzeSeconds: 1.25,
  tables: [
    { ...facts, table: "messages_512", vectors: 3100, outcome: "not-due" },
    {
      ...facts,
      table: "passages_512",
      vectors: 60_000,
      outcome: "built",
      indexBytes: 163_577_856,
      buildSeconds: 31.24,
    },
  ],
} as const;

export const passage = {
  id: "passage-1",
  text: "Ada sails",
  tags: ["sea"],
  kind: "memory",
  origin: "model",
  trust: "external",
  importance: 0.5,
  source: null,
  at: fakeTime,
} as const;

export const passageHit = {
  id: "passage-1",
  text: "Ada sails",
  tags: ["sea"],
  kind: "memory",
  origin: "model",
  trust: "external",
  importance: 0.5,
  at: fakeTime,
  explanation: {
    score: 1.5,
    words: { rank: 1, score: 0.0608 },
    meaning: { rank: 2, cosine: 0.7123 },
    literal: false,
    identifier: false,
    importance: 0.4998,
  },
} as const;
