// An agent file with next to nothing in it, and the import of a database, for tests of what front ends do with them.
import type { AgentRecord } from "../../src/store/port/records.ts";
import type { AgentFile } from "../../src/runtime/agents/agent-files.ts";
import type { AgentOperations } from "../../src/runtime/agents/contract.ts";
import type { TransferCounts } from "../../src/store/port/transfer-store.ts";

const fakeCounts: TransferCounts = {
  agents: 1,
  modules: 2,
  tools: 0,
  sources: 0,
  files: 0,
  conversations: 1,
  messages: 40,
  passages: 5,
};

function fakeAgentFile(name: string): AgentFile {
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

interface FakeAgents {
  readonly record: (...call: [string, ...unknown[]]) => void;
  readonly find: (name: string) => AgentRecord;
  readonly create: (agent: { readonly name: string }) => AgentRecord;
}

/** The functions that move agents. */
export function createFakeTransfers({ record, find, create }: FakeAgents) {
  return {
    export: async (name) => (record("agents.export", name), fakeAgentFile(find(name).name)),
    import: async (file, given) => {
      record("agents.import", file, given);
      return { agents: [create({ name: "imported" })], counts: fakeCounts, notes: ["1 skill(s): not moved."] };
    },
    importLetta: async (databaseUrl, { onProgress, signal: _signal, ...given } = {}) => {
      record("agents.importLetta", databaseUrl, given);
      onProgress?.({ agentsDone: 0, agents: 1, name: "imported" });
      const counts = { ...fakeCounts, identities: 1 };
      return { agents: [{ id: "a1", name: "imported" }], counts, notes: ["1 group(s): not moved."] };
    },
  } satisfies Partial<AgentOperations>;
}
