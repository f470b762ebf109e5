// How MCP servers and their tools are printed, as text and as JSON.
// Invariant: no secret of the configuration is shown.
import type { McpServerRecord, McpToolRecord } from "../../../runtime/mcp.ts";
import { surfaceText } from "../../surface-words.ts";
import type { World } from "../world.ts";
import { indent } from "../format/listing-texts.ts";

/** For texts that may contain secrets, or name functions of the library. */
type Show = (text: string) => string;

export function showIn({ hide, command }: Pick<World, "hide" | "command">): Show {
  return (text) => surfaceText(hide(text), "command-line", command);
}

const approvals = {
  asks: "waits for approval",
  trusted: "runs at once",
  changed: "has changed since it was trusted, and waits for approval",
} as const;

export function serverText(
  { name, location, state, problem, notes, tools, resources, prompts }: McpServerRecord,
  show: Show,
  { hasDescriptions = false } = {},
): string {
  const lines = [
    `${name}  ${state.replaceAll("-", " ")}  ${show(location)}`,
    ...(problem === null ? [] : [indent(show(problem))]),
    ...notes.map((note) => indent(show(note))),
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

export function serverShape({ location, problem, notes, ...server }: McpServerRecord, show: Show): object {
  const { name, state, tools, resources, prompts } = server;
  return {
    name,
    location: show(location),
    state,
    problem: problem === null ? null : show(problem),
    notes: notes.map(show),
    tools,
    resources,
    prompts,
  };
}
