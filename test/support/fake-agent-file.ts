// An agent file with next to nothing in it, for tests of what front ends do with one.
import type { AgentFile } from "../../src/runtime/agent-files.ts";
import type { TransferCounts } from "../../src/memory/transfer-store.ts";

export const fakeCounts: TransferCounts = {
  agents: 1,
  modules: 2,
  tools: 0,
  sources: 0,
  files: 0,
  conversations: 1,
  messages: 40,
  passages: 5,
};

export function fakeAgentFile(name: string): AgentFile {
  return {
    agents: [{ id: "agent-0", name }],
    blocks: [],
    tools: [],
    sources: [],
    files: [],
    groups: [],
    mcp_servers: [],
    metadata: { revision_id: "1c28e167b74f" },
    created_at: "2026-11-21T10:13:00.000Z",
    palimpsest: { version: 1, modules: [], tools: [], sources: [], agents: [] },
  };
}
