// The tools of an agent, and which of them return external data.
// Invariant: an agent has the runtime's tools, changed by the selection, without those that its settings remove; an
// assisted agent has one tool of the runtime, and those that the selection adds.
import type { BaseMemory } from "../../memory/core/base-memory.ts";
import type { AgentRecord } from "../../memory/records.ts";
import { selectTools, type ToolSelection } from "../../tool/select-tools.ts";
import type { Tool } from "../../tool/tool.ts";
import { newMemory } from "../create-agent-record.ts";
import type { OperationDeps } from "../operation-deps.ts";

export function toolsOf(
  { tools, retrieval }: Pick<OperationDeps, "tools" | "retrieval">,
  agent: AgentRecord,
  selection: ToolSelection,
): (memory: BaseMemory) => readonly Tool[] {
  const removed = agent.settings.removedTools;
  const sendMessage = agent.protocol === "heartbeat" ? [tools.sendMessage] : [];
  if (agent.settings.assist === "on") {
    const assisted = selectTools([...sendMessage, tools.remember], { add: selection.add ?? [] });
    return () => assisted;
  }
  return (memory) => {
    const defaults = [
      ...sendMessage,
      ...memory.tools(),
      ...tools.common,
      ...(retrieval.workingMemory === "off" ? [] : [tools.workingSearch]),
    ];
    return selectTools(defaults, selection).filter((tool) => !removed.includes(tool.name));
  };
}

/** Returns a new memory of the agent's class. Throws DefinitionError for a class that is not registered. */
export function freshMemory(
  { registry }: Pick<OperationDeps, "registry">,
  { memoryType, settings }: AgentRecord,
): BaseMemory {
  return newMemory(registry.classOf(memoryType), { limit: settings.coreMemoryLimit });
}

/**
 * Returns a predicate for the names of tools whose results may contain data from outside memory: those with external
 * effects.
 */
export function externalToolsOf(tools: readonly Tool[]): (toolName: string) => boolean {
  const names = new Set(tools.filter(({ effects }) => effects === "external").map(({ name }) => name));
  return (toolName) => names.has(toolName);
}
