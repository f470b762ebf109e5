// Which tools an agent has, and what they bring in.
// Invariant: the runtime's tools, as the selection changes them, less those that the agent's settings take away.
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
  return (memory) => {
    const defaults = [
      ...(agent.protocol === "heartbeat" ? [tools.sendMessage] : []),
      ...memory.tools(),
      ...tools.common,
      ...(retrieval.workingMemory === "off" ? [] : [tools.workingSearch]),
    ];
    return selectTools(defaults, selection).filter((tool) => !removed.includes(tool.name));
  };
}

/** A memory of the agent's class as it is at the beginning. Throws DefinitionError for a class that is not registered. */
export function freshMemory(
  { registry }: Pick<OperationDeps, "registry">,
  { memoryType, settings }: AgentRecord,
): BaseMemory {
  return newMemory(registry.classOf(memoryType), { limit: settings.coreMemoryLimit });
}

/** Whether a tool brings in what is not in memory already: one that says that it touches nothing else does not. */
export function bringsInBy(tools: readonly Tool[]): (toolName: string) => boolean {
  const names = new Set(tools.filter(({ effects }) => effects === "external").map(({ name }) => name));
  return (toolName) => names.has(toolName);
}
