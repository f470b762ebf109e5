// How MCP servers and their tools are printed, as text and as JSON.
// Invariant: no secret of the configuration is shown.
import type { McpServerRecord, McpToolRecord } from "../../runtime/mcp.ts";
import { indent } from "../format/listing-texts.ts";

type Hide = (text: string) => string;

const approvals = {
  asks: "waits for approval",
  trusted: "runs at once",
  changed: "has changed since it was trusted, and waits for approval",
} as const;

export function serverText(
  { name, location, state, problem, notes, tools, resources, prompts }: McpServerRecord,
  hide: Hide,
  { hasDescriptions = false } = {},
): string {
  const lines = [
    `${name}  ${state}  ${hide(location)}`,
    ...(problem === null ? [] : [indent(hide(problem))]),
    ...notes.map((note) => indent(hide(note))),
    ...tools.map((tool) => indent(toolText(tool, hasDescriptions))),
    ...resources.map((resource) => indent(`@${name}:${resource.name}  resource`)),
    ...prompts.map((prompt) => indent(`/${name}:${prompt.name}  prompt`)),
  ];
  return lines.join("\n");
}

function toolText({ name, description, approval, change }: McpToolRecord, hasDescription: boolean): string {
  return [
    `${name}  ${approvals[approval]}`,
    ...(hasDescription ? [indent(description)] : []),
    ...(change === null ? [] : [indent(change)]),
  ].join("\n");
}

export function serverShape({ location, problem, notes, ...server }: McpServerRecord, hide: Hide): object {
  const { name, state, tools, resources, prompts } = server;
  return {
    name,
    location: hide(location),
    state,
    problem: problem === null ? null : hide(problem),
    notes: notes.map(hide),
    tools,
    resources,
    prompts,
  };
}
