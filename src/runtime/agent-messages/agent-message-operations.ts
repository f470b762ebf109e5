// Lists messages between agents, and delivers those that wait.
import { findReadable } from "../agents/find-agent.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";
import type { AgentMessageOperations } from "./contract.ts";

const defaultLimit = 50;

export function createAgentMessageOperations(deps: OperationDeps): AgentMessageOperations {
  return {
    list: async (agent, { limit = defaultLimit, chainId } = {}) =>
      deps.store.agentMessages.list((await findReadable(deps, agent)).id, { limit, chainId }),
    deliver: async () => deps.messages.wake(),
  };
}
