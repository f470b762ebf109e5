// Applies the options of a turn that override its agent: the model, the system prompt, the schema of the answer, and the tools
// that the caller runs.
// Invariant: the changes apply to this turn only, and are stored with the turn for the process that continues it.
import { DefinitionError, RequestError } from "../base/errors.ts";
import type { BaseMemory } from "../memory/core/base-memory.ts";
import { createCalibration } from "../model/tokens/token-scale.ts";
import { clientTool, defineTool } from "../tool/define-tool.ts";
import { givenParameters } from "../tool/parameters.ts";
import type { Tool } from "../tool/tool.ts";
import { type AgentDeps, createAgentTools } from "./turn.ts";
import type { ClientTool, TurnOptions } from "./turn-options.ts";

/**
 * Returns the dependencies of a turn with these options. Throws ConfigError for a model that cannot be used, RequestError
 * `input_invalid` for a blank system prompt, DefinitionError `tool_definition_invalid`.
 */
export function withOverrides(
  deps: AgentDeps,
  {
    model,
    systemPrompt,
    clientTools = [],
    output,
  }: Pick<TurnOptions, "model" | "systemPrompt" | "clientTools"> & Pick<AgentDeps, "output">,
): AgentDeps {
  const withModel = model === undefined ? deps : withTurnModel(deps, model);
  const withPrompt = systemPrompt === undefined ? withModel : withSystemPrompt(withModel, systemPrompt);
  const withForm = output === undefined ? withPrompt : { ...withPrompt, output };
  return clientTools.length === 0 ? withForm : withClientTools(withForm, clientTools);
}

/** Returns the dependencies for another model. Its calibration is empty, because samples of the agent's model do not apply. */
function withTurnModel(deps: AgentDeps, name: string): AgentDeps {
  const other = deps.withModel(name);
  if (other.agent.model === deps.agent.model) return deps;
  return { ...deps, ...other, window: { ...deps.window, calibration: createCalibration([]) } };
}

function withSystemPrompt(deps: AgentDeps, systemPrompt: string): AgentDeps {
  if (systemPrompt.trim() === "") {
    throw new RequestError("input_invalid", "Expected `systemPrompt` with some text in it, got a blank one.");
  }
  return { ...deps, agent: { ...deps.agent, systemPrompt } };
}

function withClientTools(deps: AgentDeps, definitions: readonly ClientTool[]): AgentDeps {
  const tools = definitions.map(toTool);
  const names = new Set(tools.map(({ name }) => name));
  if (names.size < tools.length)
    throw new DefinitionError(
      "tool_definition_invalid",
      `Expected client tools with different names, got ${tools.map(({ name }) => name).join(", ")}.`,
    );
  const own = (memory: BaseMemory) => deps.tools.of(memory).filter(({ name }) => !names.has(name));
  return { ...deps, tools: createAgentTools(deps, (memory) => [...own(memory), ...tools], deps.tools.selection) };
}

function toTool({ name, description, parameters }: ClientTool): Tool {
  const run = (): never => {
    throw new TypeError(`Expected the caller to run the client tool ${name}, but the runtime was asked to run it.`);
  };
  const tool = defineTool({ name, description, parameters, run });
  return clientTool({ ...tool, parameters: givenParameters(name, parameters) });
}
