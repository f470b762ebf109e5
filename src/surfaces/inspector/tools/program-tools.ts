// Lists the tools of the program that an agent has or can have.
// Invariant: pure; a tool is in the list once, and `setting` names the agent's setting that removes or adds the tool.
import type { CallResult } from "../../client/api-types.ts";

type BuiltInTool = CallResult<"GET /built-in-tools">[number];

/** The settings of an agent about its tools. */
export interface ToolChoice {
  readonly removedTools: readonly string[];
  readonly addedTools: readonly string[];
}

export interface ProgramTool extends Pick<BuiltInTool, "name" | "description" | "needsFiles"> {
  readonly isOn: boolean;
  readonly setting: keyof ToolChoice;
}

/** `own`: the tools that the agent has; `all`: the tools of the runtime, the program and all memory classes. */
export function programTools(
  own: readonly BuiltInTool[],
  all: readonly BuiltInTool[],
  { removedTools, addedTools }: ToolChoice,
): readonly ProgramTool[] {
  const names = new Set(own.map(({ name }) => name));
  const possible = all.filter(
    ({ name, isOptional }) => !names.has(name) && (isOptional || removedTools.includes(name)),
  );
  return [...own, ...possible].map(({ name, description, needsFiles, isOptional }) => ({
    name,
    description,
    needsFiles,
    isOn: names.has(name) && !removedTools.includes(name),
    setting: isOptional && (addedTools.includes(name) || !names.has(name)) ? "addedTools" : "removedTools",
  }));
}
