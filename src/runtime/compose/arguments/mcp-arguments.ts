// The arguments of the functions for MCP servers, with the check of each.
// Invariant: only shapes are checked here.
import {
  atOnce,
  callback,
  type CallChecks,
  checkThat,
  later,
  nullable,
  optional,
  record,
  text,
  textOr,
} from "../../../base/arguments/argument-checks.ts";
import type { McpOperations } from "../../mcp.ts";

const tool = ["tool", textOr('Pass the name that agents have for it, such as "files__read_file".')] as const;

const server = ["server", text] as const;
const answer = checkThat(
  '{ action: "accept", content: {…} } or { action: "decline" }',
  (value) =>
    typeof value === "object" &&
    value !== null &&
    "action" in value &&
    (value.action === "decline" || (value.action === "accept" && "content" in value && isObject(value.content))),
);

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export const mcpChecks: CallChecks<McpOperations> = {
  trust: later(tool),
  distrust: later(tool),
  signIn: later(server),
  signOut: later(server),
  watchQuestions: atOnce(["listener", nullable(callback)]),
  answer: later(["questionId", text], ["answer", answer]),
  readResource: later(server, ["resource", text]),
  readPrompt: later(server, ["prompt", text], ["args", optional(record)]),
};
