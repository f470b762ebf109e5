// Determines an agent's tools: the defaults with removals, replacements and additions.
import { DefinitionError } from "../base/errors.ts";
import type { Tool } from "./tool.ts";

/** How an agent's tools differ from the defaults. */
export interface ToolSelection {
  /** Names of default tools to leave out. */
  readonly remove?: readonly string[];
  /** Replaces the default tool of this name; the replacement may have another name. */
  readonly replace?: Readonly<Record<string, Tool>>;
  readonly add?: readonly Tool[];
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
