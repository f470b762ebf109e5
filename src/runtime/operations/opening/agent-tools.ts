// Selects the tools of an agent, and determines which of them return external data.
// Invariant: an agent has the runtime's tools and those that its settings add, changed by the program's selection, without
// those that its settings remove. With the setting `assist`, it has only one memory tool, the tools for its protocol and
// skills, and those that the selection adds. Stored tools are added last.
import type { BaseMemory } from "../../../memory/core/base-memory.ts";
import type { AgentRecord } from "../../../store/port/records.ts";
import { DefinitionError } from "../../../base/errors.ts";
import type { Tool, ToolSelection } from "../../../tool/tool.ts";
import type { AttachedTool } from "../../../store/port/stored-tool-store.ts";
import { newMemory } from "../../agents/create-agent-record.ts";
import type { OperationDeps } from "../operation-deps.ts";
import { type StoredToolDeps, toolOfStored } from "../../stored-tools/stored-tool.ts";

export interface AddedTools {
  readonly selection: ToolSelection;
  readonly stored: readonly AttachedTool[];
  readonly hasFiles?: boolean;
  /** Names of tools that the agent does not have in this conversation. */
  readonly without?: readonly string[];
}

type ToolDeps = StoredToolDeps & Pick<OperationDeps, "tools" | "retrieval" | "log">;

export function toolsOf(
  deps: Omit<ToolDeps, "log">,
  agent: AgentRecord,
  { selection, stored, hasFiles = false, without = [] }: AddedTools,
): (memory: BaseMemory) => readonly Tool[] {
  const { tools, retrieval } = deps;
  const attached = stored.map((tool) => toolOfStored(deps, tool));
  const removed = [...agent.settings.removedTools, ...without];
  const sendMessage = agent.protocol === "heartbeat" ? [tools.sendMessage] : [];
  if (agent.settings.assist === "on") {
    const own = selectTools([...sendMessage, tools.remember], { add: selection.add ?? [] });
    return (memory) => withStored([...own, ...skillTools(deps, agent, memory)], attached);
  }
  return (memory) => {
    const defaults = [
      ...sendMessage,
      ...memory.tools(),
      ...tools.common,
      ...(retrieval.workingMemory === "off" ? [] : [tools.workingSearch]),
      ...(hasFiles ? tools.ofFiles : []),
      ...skillTools(deps, agent, memory),
      ...agent.settings.addedTools.map((name) => tools.optional[name]),
    ];
    return withStored(selectTools(defaults, selection), attached).filter((tool) => !removed.includes(tool.name));
  };
}

/** Returns an agent's tools. Throws DefinitionError for a name that no default tool has, and for two tools with one name. */
export function selectTools(defaults: readonly Tool[], selection: ToolSelection): readonly Tool[] {
  const names = new Set(defaults.map((tool) => tool.name));
  for (const name of [...(selection.remove ?? []), ...Object.keys(selection.replace ?? {})]) {
    if (!names.has(name)) throw unknownTool(name, [...names]);
  }
  const kept = defaults
    .filter((tool) => !selection.remove?.includes(tool.name))
    .map((tool) => selection.replace?.[tool.name] ?? tool);
  const selected = [...kept, ...(selection.add ?? [])];
  const seen = new Set<string>();
  for (const { name } of selected) {
    if (seen.has(name))
      throw new DefinitionError(
        "tool_definition_invalid",
        `Two tools are named "${name}". Rename one, or, to replace a default tool, pass yours in \`replace\` instead of \`add\`.`,
      );
    seen.add(name);
  }
  return selected;
}

function unknownTool(name: string, names: readonly string[]): DefinitionError {
  return new DefinitionError(
    "tool_definition_invalid",
    `Expected a default tool to remove or replace, got "${name}". Default tools: ${names.join(", ")}.`,
  );
}

/** Returns the tool that reads skills, if the agent has skills or may write them. */
function skillTools(
  { tools }: Pick<ToolDeps, "tools">,
  { settings }: AgentRecord,
  { skills }: BaseMemory,
): readonly Tool[] {
  return skills.length > 0 || settings.addedTools.includes("write_skill") ? [tools.readSkill] : [];
}

/** Returns the tools and the stored tools. A stored tool is left out if the program now defines a tool with its name. */
function withStored(tools: readonly Tool[], stored: readonly Tool[]): readonly Tool[] {
  if (stored.length === 0) return tools;
  const names = new Set(tools.map(({ name }) => name));
  return [...tools, ...stored.filter(({ name }) => !names.has(name))];
}

/**
 * Logs the names in the settings `approvals` and `toolRules` that no tool has, and the stored tools that a tool of the program
 * replaces. Neither is an error, because a program may add a tool only sometimes.
 */
export function warnOfTools(deps: ToolDeps, agent: AgentRecord, added: AddedTools): (memory: BaseMemory) => void {
  const { log } = deps;
  const namesOf = (tools: AddedTools, memory: BaseMemory) =>
    toolsOf(deps, agent, tools)(memory).map(({ name }) => name);
  return (memory) => {
    const names = namesOf(added, memory);
    const unknown = agent.settings.approvals.filter((name) => !names.includes(name));
    if (unknown.length > 0) {
      const has = `Its tools: ${names.join(", ")}.`;
      log(`"${agent.name}" requires approval for ${unknown.join(", ")}, but has no such tool. ${has}`);
    }
    const ruled = agent.settings.toolRules.map(({ tool }) => tool).filter((name) => !names.includes(name));
    if (ruled.length > 0) {
      const which = [...new Set(ruled)].join(", ");
      log(
        `"${agent.name}" has rules about ${which}, but no such tool: the rules do not apply. Its tools: ${names.join(", ")}.`,
      );
    }
    if (added.stored.length === 0) return;
    const own = namesOf({ ...added, stored: [] }, memory);
    const hidden = added.stored.map(({ name }) => name).filter((name) => own.includes(name));
    if (hidden.length > 0) {
      const advice = "the program has tools of these names. Rename the stored ones.";
      log(`"${agent.name}" does not get its stored tools ${hidden.join(", ")}: ${advice}`);
    }
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
 * Returns a predicate that is true for the name of a tool with external effects, because its results may contain data from
 * outside of memory.
 */
export function externalToolsOf(tools: readonly Tool[]): (toolName: string) => boolean {
  const names = new Set(tools.filter(({ effects }) => effects === "external").map(({ name }) => name));
  return (toolName) => names.has(toolName);
}
