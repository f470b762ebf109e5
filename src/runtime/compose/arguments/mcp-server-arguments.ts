// The arguments and options of the functions for the MCP servers of users, with the check of each.
// Invariant: only shapes are checked here; names, URLs and headers are checked where a server is stored.
import {
  type CallChecks,
  later,
  list,
  optional,
  options,
  record,
  signal,
  text,
} from "../../../base/arguments/argument-checks.ts";
import type { McpServerOperations, McpServerOptions, NewMcpServer } from "../../mcp-servers.ts";

const id = ["id", text] as const;
const fields = {
  url: optional(text),
  headers: optional(record),
  command: optional(text),
  args: optional(list(text)),
  env: optional(record),
  metadata: optional(record),
};
const otherNames = { otherNames: { token: "Use `headers`.", type: "Omit it: `url` or `command` decides." } };

export const mcpServerChecks: CallChecks<McpServerOperations> = {
  create: later(["server", options<NewMcpServer>({ ...fields, name: text, id: optional(text) }, otherNames)]),
  find: later(id),
  update: later(id, ["change", options<McpServerOptions>({ ...fields, name: optional(text) }, otherNames)]),
  delete: later(id),
  refresh: later(id),
  tools: later(id),
  run: later(id, ["tool", text], ["args", record], ["signal", optional(signal)]),
};
