// Which definitions of a server's tools are trusted, and how the present ones differ.
// Invariant: a tool is trusted only in the very definition whose hash was given.
import { changedLines } from "../base/line-diff.ts";
import type { McpServerOptions, ToolDefinition } from "./tool-definition.ts";

interface Trusted {
  readonly hash: string;
  /** Null if only the hash was given. */
  readonly definition: string | null;
}

export interface ServerTrust {
  stateOf(definition: ToolDefinition): "asks" | "trusted" | "changed";
  /** The lines that differ from the trusted definition; null if nothing differs, or no text of it is known. */
  changeOf(definition: ToolDefinition): string | null;
  /** The trusted hash of a tool; null if none is. */
  hashOf(toolName: string): string | null;
  set(toolName: string, trusted: Trusted | null): void;
}

export function createServerTrust({ trusted = {} }: Pick<McpServerOptions, "trusted">): ServerTrust {
  const known = new Map(
    Object.entries(trusted).map(([tool, one]): [string, Trusted] => [
      tool,
      typeof one === "string" ? { hash: one, definition: null } : one,
    ]),
  );
  const stateOf: ServerTrust["stateOf"] = ({ toolName, hash }) => {
    const one = known.get(toolName);
    if (one === undefined) return "asks";
    return one.hash === hash ? "trusted" : "changed";
  };
  return {
    stateOf,
    changeOf(definition) {
      const before = known.get(definition.toolName)?.definition ?? null;
      return stateOf(definition) === "changed" && before !== null ? changedLines(before, definition.definition) : null;
    },
    hashOf: (toolName) => known.get(toolName)?.hash ?? null,
    set(toolName, one) {
      if (one === null) known.delete(toolName);
      else known.set(toolName, one);
    },
  };
}
