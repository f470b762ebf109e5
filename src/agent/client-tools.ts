// Adds tools that the caller runs to those of an agent, for one turn.
// Invariant: their calls never run here; a definition that no provider accepts is refused before anything is written.
import { DefinitionError } from "../errors.ts";
import { clientTool, defineTool } from "../tool/define-tool.ts";
import type { Tool } from "../tool/tool.ts";
import { type AgentDeps, createToolDescriber } from "./turn.ts";
import type { ClientTool } from "./turn-options.ts";

/** Throws DefinitionError `tool_definition_invalid`. */
export function withClientTools(deps: AgentDeps, definitions: readonly ClientTool[]): AgentDeps {
  const tools = definitions.map(toTool);
  const names = new Set(tools.map(({ name }) => name));
  if (names.size < tools.length)
    throw new DefinitionError(
      "tool_definition_invalid",
      `Expected client tools with different names, got ${tools.map(({ name }) => name).join(", ")}.`,
    );
  const toolsFor: AgentDeps["toolsFor"] = (memory) => [
    ...deps.toolsFor(memory).filter(({ name }) => !names.has(name)),
    ...tools,
  ];
  return { ...deps, toolsFor, describeTools: createToolDescriber({ ...deps, toolsFor }) };
}

function toTool({ name, description, parameters }: ClientTool): Tool {
  const run = (): never => {
    throw new TypeError(`Expected the caller to run ${name}, got a call of it here.`);
  };
  return clientTool(defineTool({ name, description, parameters, run }));
}
