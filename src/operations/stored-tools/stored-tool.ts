// Makes tools that an agent can call of the stored ones.
// Invariant: the results of a stored tool are external in trust, and within its limit.
import { ToolError } from "../../errors.ts";
import type { AttachedTool, StoredTool } from "../../memory/stored-tool-store.ts";
import { toToolParameters } from "../../tool/parameters.ts";
import type { JsonParameterSchema, Tool, ToolContext, ToolParameters } from "../../tool/tool.ts";

/** Returns the tool for the agent that it is attached to. */
export function toolOfStored(stored: AttachedTool): Tool {
  const { name, description, requiresApproval, agentRequiresApproval } = stored;
  return {
    name,
    description,
    parameters: parametersOf(stored),
    effects: "external",
    wholeResult: false,
    approval: agentRequiresApproval ?? requiresApproval,
    run: (args, context) => runStored(stored, args, context),
  };
}

/** The validator is made with the first call, because few of an agent's tools are called in a turn. */
function parametersOf({ name, parameters }: StoredTool): ToolParameters<unknown> {
  let checked: ToolParameters<unknown> | undefined;
  return {
    jsonSchema: parameters,
    parse: (input) => (checked ??= toToolParameters(name, parameters as JsonParameterSchema)).parse(input),
  };
}

async function runStored({ name, kind }: StoredTool, _args: unknown, _context: ToolContext): Promise<string> {
  if (kind === "client") {
    throw new ToolError(
      `${name} was not run: it runs in the program that talks to this agent, and this one runs no tools.`,
    );
  }
  throw new ToolError(`${name} was not run: it is a Python tool, and the sandbox that runs them is off.`);
}
