// The arguments of the functions for MCP servers, with the check of each.
// Invariant: only shapes are checked here.
import { type CallChecks, later, optional, record, text, textOr } from "../../arguments/argument-checks.ts";
import type { McpOperations } from "../../runtime/mcp.ts";

const tool = ["tool", textOr('Pass the name that agents have for it, such as "files__read_file".')] as const;

const server = ["server", text] as const;

export const mcpChecks: CallChecks<McpOperations> = {
  trust: later(tool),
  distrust: later(tool),
  readResource: later(server, ["resource", text]),
  readPrompt: later(server, ["prompt", text], ["args", optional(record)]),
};
