// Converts stored tools to tools that an agent can call.
// Invariant: the results of a stored tool have the trust `external`, and are not longer than its limit.
import { ToolError } from "../../base/errors.ts";
import type { AttachedTool, StoredTool } from "../../store/port/stored-tool-store.ts";
import { clientTool } from "../../tool/define-tool.ts";
import { givenParameters, objectParameters } from "../../tool/parameters.ts";
import { PrintedResult } from "../../tool/run-tool-call.ts";
import type { Sandbox, SourceCall } from "../../tool/sandbox.ts";
import type { JsonParameterSchema, Tool, ToolParameters } from "../../tool/tool.ts";
import { type CallDeps, callServed } from "../mcp-servers/call-served.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";

export type StoredToolDeps = CallDeps & Pick<OperationDeps, "sandbox">;

export function toolOfStored(deps: StoredToolDeps, stored: AttachedTool): Tool {
  const { name, description, kind } = stored;
  if (kind === "mcp") return servedTool(deps, stored);
  const { sandbox } = deps;
  const tool: Tool = {
    name,
    description,
    parameters: parametersOf(stored),
    effects: "external",
    wholeResult: false,
    ...settingsOf(stored),
    run: (args, { signal }) => runStored(stored, sandbox, { args: args as SourceCall["args"], signal }),
  };
  return kind === "client" ? clientTool(tool) : tool;
}

/** Returns a tool of an MCP server. An approval is valid only for the definition that the user saw when approving. */
function servedTool(deps: CallDeps, stored: AttachedTool): Tool {
  const { name, description, parameters, served } = stored;
  const binding = `${served!.toolName} of an MCP server as ${name}, definition ${served!.hash}\n`;
  return {
    name,
    description,
    parameters: objectParameters(name, parameters),
    effects: "external",
    wholeResult: false,
    ...settingsOf(stored),
    binding,
    definition: served!.definition,
    preview: async () => `${binding}${description}`,
    run: (args, { signal }) => callServed(deps, stored, { args, signal }),
  };
}

function settingsOf({ resultLimit, requiresApproval, agentRequiresApproval }: AttachedTool) {
  const approval = agentRequiresApproval ?? requiresApproval;
  return { approval, ...(resultLimit === null ? {} : { resultLimit }) };
}

/** Returns parameters that create their validator at the first call, because few of an agent's tools are called in a turn. */
function parametersOf({ name, parameters }: StoredTool): ToolParameters<unknown> {
  let checked: ToolParameters<unknown> | undefined;
  const validator = () => givenParameters(name, parameters as JsonParameterSchema);
  return { jsonSchema: parameters, parse: (input) => (checked ??= validator()).parse(input) };
}

async function runStored(
  { name, source }: StoredTool,
  sandbox: Sandbox | null,
  call: Pick<SourceCall, "args" | "signal">,
): Promise<PrintedResult> {
  if (source === null) {
    throw new ToolError(`${name} was not run here: it is a client tool, which the caller of the agent runs.`);
  }
  if (sandbox === null) throw new ToolError(`${name} was not run: it is a Python tool, and the sandbox is off.`);
  const { status, text, stdout, stderr } = await sandbox.run({ source, name, ...call });
  const told = status === "ok" ? text : `Error calling function ${name}: ${text}`;
  return new PrintedResult(status, told, { stdout, stderr });
}
