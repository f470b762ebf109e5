// Which definitions of a server's tools are trusted, and how the present ones differ.
// Invariant: a tool is trusted only in the very definition whose hash was given.
import { changedLines } from "../../base/line-diff.ts";
import type { McpServerOptions, ToolDefinition } from "./tool-definition.ts";

interface Trusted {
  readonly hash: string;
  readonly definition: string;
}

export interface ServerTrust {
  stateOf(definition: ToolDefinition): "asks" | "trusted" | "changed";
  /** The lines that differ from the trusted definition; null if nothing differs. */
  changeOf(definition: ToolDefinition): string | null;
  /** The trusted hash of a tool; null if none is. */
  hashOf(toolName: string): string | null;
  set(toolName: string, trusted: Trusted | null): void;
}

export function createServerTrust({ trusted = {} }: Pick<McpServerOptions, "trusted">): ServerTrust {
  const known = new Map<string, Trusted>(Object.entries(trusted));
  const stateOf: ServerTrust["stateOf"] = ({ toolName, hash }) => {
    const one = known.get(toolName);
    if (one === undefined) return "asks";
    return one.hash === hash ? "trusted" : "changed";
  };
  return {
    stateOf,
    changeOf(definition) {
      const before = known.get(definition.toolName);
      return before === undefined || before.hash === definition.hash
        ? null
        : changedLines(before.definition, definition.definition);
    },
    hashOf: (toolName) => known.get(toolName)?.hash ?? null,
    set(toolName, one) {
      if (one === null) known.delete(toolName);
      else known.set(toolName, one);
    },
  };
}
