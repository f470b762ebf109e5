// Defines the slash commands that approve or deny a waiting call, or answer a question of an MCP server.
import { RequestError } from "../../../base/errors.ts";
import { parseObject } from "../../../base/json-values.ts";
import type { McpQuestion } from "../runtime-records.ts";
import { questionItem } from "../view/notices.ts";
import { command, noteOutcome, readPairs, refusalOutcome } from "./command.ts";

export const approveCommand = command({
  usage: "/approve [JSON]",
  summary: "approve the waiting call, or run it with other arguments",
  manual: "runs the call that waits for approval, optionally with other arguments; short: `y`",
  async run({ agent, argument }) {
    const [waiting] = agent.pendingApprovals;
    if (waiting === undefined) return noteOutcome("No call waits for approval.");
    const edited = argument === "" ? {} : parseObject(argument);
    if (edited === undefined)
      return refusalOutcome(
        "Expected the arguments as a JSON object. The call still waits.",
        `/approve ${waiting.arguments}`,
      );
    const options = argument === "" ? {} : { arguments: edited };
    return {
      items: [],
      effect: { type: "turn", begin: ({ signal }) => agent.approve(waiting.callId, { ...options, signal }) },
    };
  },
});

export const denyCommand = command({
  usage: "/deny [REASON]",
  summary: "deny the waiting call, with a reason",
  manual: "denies the call; short: `n REASON`",
  async run({ agent, argument }) {
    const [waiting] = agent.pendingApprovals;
    if (waiting === undefined) return noteOutcome("No call waits for approval.");
    const options = argument === "" ? {} : { reason: argument };
    return {
      items: [],
      effect: { type: "turn", begin: ({ signal }) => agent.deny(waiting.callId, { ...options, signal }) },
    };
  },
});

// An answer that does not match the question's fields is not sent, and the question still waits.
export const answerCommand = command({
  usage: "/answer [VALUE]",
  summary: "answer the question of an MCP server",
  manual: "answers what an MCP server asks during a call, also as `NAME=VALUE …`; `--decline` refuses",
  isAlwaysReady: true,
  async run({ runtime, argument }) {
    const [question] = runtime.mcp.questions();
    if (question === undefined) return noteOutcome("No question of an MCP server waits.");
    if (argument === "") return { items: [questionItem(question)] };
    try {
      if (argument === "--decline") await runtime.mcp.answer(question.id, { action: "decline" });
      else await runtime.mcp.answer(question.id, { action: "accept", content: contentOf(question, argument) });
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      return refusalOutcome(error.message);
    }
    return { items: runtime.mcp.questions().slice(0, 1).map(questionItem) };
  },
});

/** Returns the typed values by the names of the question's fields; empty if the question has no fields and takes any text. */
function contentOf({ fields }: McpQuestion, typed: string): Readonly<Record<string, string>> {
  const [only, ...others] = fields;
  if (only === undefined) return {};
  const pairs = readPairs(typed);
  if (pairs !== null && Object.keys(pairs).every((key) => fields.some(({ name }) => name === key))) return pairs;
  return others.length === 0 ? { [only.name]: typed } : (pairs ?? { [typed]: "" });
}
