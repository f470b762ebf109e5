// The table of all operations.
import { withRows } from "../parity-row.ts";
import { agentMessageRows, agentRows, approvalRows, identityRows, keyRows } from "./agent-rows.ts";
import * as archive from "./archive-rows.ts";
import { forgetRows, memoryFileRows, memoryRows, moduleRows, skillRows } from "./memory-rows.ts";
import * as source from "./source-rows.ts";
import { conversationRows, openAgentRows, turnRows } from "./turn-rows.ts";

export const operations = withRows({
  agent: openAgentRows,
  agentMessages: agentMessageRows,
  agents: agentRows,
  approvals: approvalRows,
  archival: archive.archivalRows,
  consolidation: archive.consolidationRows,
  conversations: conversationRows,
  embeddings: archive.embeddingRows,
  forget: forgetRows,
  identities: identityRows,
  imports: source.importRows,
  keys: keyRows,
  mcpServers: source.serverRows,
  memory: memoryRows,
  memoryFiles: memoryFileRows,
  models: source.modelRows,
  modules: moduleRows,
  nodeMemory: archive.nodeMemoryRows,
  recall: archive.recallRows,
  retention: archive.retentionRows,
  schedules: source.scheduleRows,
  skills: skillRows,
  sources: source.sourceRows,
  synopsis: archive.synopsisRows,
  tools: source.toolRows,
  turns: turnRows,
});
