// Lists the tools that are defined by code, not stored: those of the runtime, of all memory classes, and of the program.
// Invariant: each name occurs once in the list; a tool that the program replaces counts as the program's.
import { defaultModuleLimit } from "../../base/default-module-limit.ts";
import type { AgentRecord } from "../../store/port/records.ts";
import type { BuiltInTool } from "./contract.ts";
import type { Tool } from "../../tool/tool.ts";
import { newMemory } from "../agents/create-agent-record.ts";
import { toolsOf } from "../operations/opening/agent-tools.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";

type BuiltInDeps = Pick<OperationDeps, "registry" | "tools">;

/** Placeholder texts for the modules of a memory, because a memory without modules has no tools to edit them. */
const someSection = { persona: "-", human: "-", limit: defaultModuleLimit };

export function builtInTools({ registry, tools }: BuiltInDeps): readonly BuiltInTool[] {
  const { common, ofFiles, sendMessage, remember, workingSearch, optional, selection } = tools;
  const replaced = selection.replace ?? {};
  const ofProgram = [...(selection.add ?? []), ...Object.values(replaced)];
  const ofMemory = registry.classes.flatMap((memoryClass) => newMemory(memoryClass, someSection).tools());
  const ofRuntime = [...common, ...ofMemory, sendMessage, remember, workingSearch];
  const all = [
    ...ofProgram.map((tool) => shown(tool, { origin: "program", isOptional: false })),
    ...ofRuntime
      .filter(({ name }) => !Object.hasOwn(replaced, name))
      .map((tool) => shown(tool, { origin: "runtime", isOptional: false })),
    ...ofFiles.map((tool) => shown(tool, { origin: "runtime", isOptional: false, needsFiles: true })),
    ...Object.values(optional).map((tool) => shown(tool, { origin: "runtime", isOptional: true })),
  ];
  return all.filter(({ name }, at) => all.findIndex((other) => other.name === name) === at);
}

/** Returns the names that no stored tool can have: those of built-in tools, and of tools that the program replaces. */
export function definedNames(deps: BuiltInDeps): readonly string[] {
  return [...builtInTools(deps).map(({ name }) => name), ...Object.keys(deps.tools.selection.replace ?? {})];
}

/** Returns those of `tools` that the agent has. Tools that edit modules count even if the agent has no module to edit. */
export function toolsOfAgent(
  deps: BuiltInDeps & Pick<OperationDeps, "store" | "toolServers" | "retrieval" | "sandbox">,
  agent: AgentRecord,
  { tools, hasFiles }: { readonly tools: readonly BuiltInTool[]; readonly hasFiles: boolean },
): readonly BuiltInTool[] {
  const memory = newMemory(deps.registry.classOf(agent.memoryType), someSection);
  const own = toolsOf(deps, agent, { selection: deps.tools.selection, stored: [], hasFiles })(memory);
  const names = new Set(own.map(({ name }) => name));
  return tools.filter(({ name }) => names.has(name));
}

function shown(
  { name, description, parameters }: Tool,
  { needsFiles = false, ...facts }: Pick<BuiltInTool, "origin" | "isOptional"> & { readonly needsFiles?: boolean },
): BuiltInTool {
  return { name, description, parameters: parameters.jsonSchema, ...facts, needsFiles };
}
