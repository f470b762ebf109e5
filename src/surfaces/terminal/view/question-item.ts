// The notice about a question of an MCP server that waits for an answer.
import type { McpQuestion } from "../runtime-records.ts";
import type { ViewItem } from "./view-item.ts";

export function questionItem({ server, message, fields }: McpQuestion): ViewItem {
  const lines = fields.map(({ name, title, description, kind, options, isRequired, preset }) => {
    const about = [title, description].filter((text) => text !== null).join(": ");
    const form = options.length > 0 ? options.join(" | ") : kind;
    return `${name}${preset !== null ? ` (${String(preset)})` : isRequired ? "" : " (optional)"}: ${form}${about === "" ? "" : `  ${about}`}`;
  });
  return {
    kind: "notice",
    level: "warning",
    text: [`The MCP server ${server} asks: ${message}`, ...lines].join("\n"),
    advice: `/answer ${exampleOf(fields)} answers; /answer --decline refuses. The call waits.`,
  };
}

function exampleOf(fields: McpQuestion["fields"]): string {
  if (fields.length === 0) return "yes";
  return fields.length === 1 ? "VALUE" : fields.map(({ name }) => `${name}=…`).join(" ");
}
