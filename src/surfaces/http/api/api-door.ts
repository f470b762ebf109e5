// The door `/api`: all operations of a runtime, in Palimpsest's own JSON.
// Invariant: an error has the form of RFC 9457, with the code and the invalid fields.
import { agentContract } from "../../../runtime/agents/contract.ts";
import { conversationContract } from "../../../runtime/conversations/contract.ts";
import { openAgentContract } from "../../../runtime/open-agents/contract.ts";
import { agentMessageContract } from "../../../runtime/agent-messages/contract.ts";
import { consolidationContract } from "../../../runtime/consolidation/contract.ts";
import { synopsisContract } from "../../../runtime/synopsis/contract.ts";
import { approvalContract, turnContract } from "../../../runtime/turns/contract.ts";
import { identityContract } from "../../../runtime/identities/contract.ts";
import { keyContract } from "../../../runtime/keys/contract.ts";
import { mcpServerContract } from "../../../runtime/mcp-servers/contract.ts";
import { archivalContract } from "../../../runtime/archival/contract.ts";
import { recallContract } from "../../../runtime/recall/contract.ts";
import { sourceContract } from "../../../runtime/sources/contract.ts";
import { embeddingContract } from "../../../runtime/embeddings/contract.ts";
import { forgetContract } from "../../../runtime/forgetting/contract.ts";
import { modelContract } from "../../../runtime/models/contract.ts";
import { nodeMemoryContract } from "../../../runtime/node-memory/contract.ts";
import { retentionContract } from "../../../runtime/retention/contract.ts";
import { storedToolContract } from "../../../runtime/stored-tools/contract.ts";
import { memoryContract } from "../../../runtime/memory/contract.ts";
import { memoryFileContract } from "../../../runtime/memory-files/contract.ts";
import { skillContract } from "../../../runtime/skills/contract.ts";
import { moduleContract } from "../../../runtime/modules/contract.ts";
import { scheduleContract } from "../../../runtime/schedules/contract.ts";
import type { Door } from "../door.ts";
import { openAgentRoutes, operationRoutes } from "./operation-routes.ts";
import { problemOf, problems } from "../problem.ts";
import { recordRoutes } from "./record-routes.ts";
import { turnRoutes } from "./turn-routes.ts";

export const apiRoutes = [
  ...recordRoutes,
  ...turnRoutes,
  ...operationRoutes(agentContract, ({ agents }) => agents),
  ...openAgentRoutes(openAgentContract),
  ...operationRoutes(conversationContract, ({ conversations }) => conversations),
  ...operationRoutes(turnContract, ({ turns }) => turns),
  ...operationRoutes(approvalContract, ({ approvals }) => approvals),
  ...operationRoutes(synopsisContract, ({ synopsis }) => synopsis),
  ...operationRoutes(agentMessageContract, ({ agentMessages }) => agentMessages),
  ...operationRoutes(consolidationContract, ({ consolidation }) => consolidation),
  ...operationRoutes(identityContract, ({ identities }) => identities),
  ...operationRoutes(keyContract, ({ keys }) => keys),
  ...operationRoutes(mcpServerContract, ({ mcpServers }) => mcpServers),
  ...operationRoutes(archivalContract, ({ archival }) => archival),
  ...operationRoutes(recallContract, ({ recall }) => recall),
  ...operationRoutes(sourceContract, ({ sources }) => sources),
  ...operationRoutes(embeddingContract, ({ embeddings }) => embeddings),
  ...operationRoutes(forgetContract, ({ forget }) => forget),
  ...operationRoutes(modelContract, ({ models }) => models),
  ...operationRoutes(nodeMemoryContract, ({ nodeMemory }) => nodeMemory),
  ...operationRoutes(retentionContract, ({ retention }) => retention),
  ...operationRoutes(storedToolContract, ({ tools }) => tools),
  ...operationRoutes(memoryContract, ({ memory }) => memory),
  ...operationRoutes(memoryFileContract, ({ memoryFiles }) => memoryFiles),
  ...operationRoutes(skillContract, ({ skills }) => skills),
  ...operationRoutes(moduleContract, ({ modules }) => modules),
  ...operationRoutes(scheduleContract, ({ schedules }) => schedules),
] as const;

export const apiDoor: Door = {
  path: "/api",
  routes: apiRoutes,
  faults: problems,
  writeFault: (fault, requestId) => ({ body: problemOf(fault, requestId) }),
  faultEvent: (fault, requestId) => ({ event: "error", data: problemOf(fault, requestId) }),
};
