// `/answer`: answers the question of an MCP server for which a call waits.
// Invariant: an answer that does not fit is not sent, and the question still waits.
import { RequestError } from "../../../base/errors.ts";
import { readPairs } from "../input/read-pairs.ts";
import { questionItem } from "../view/question-item.ts";
import type { McpQuestion } from "../runtime-records.ts";
import { type Command, noteOutcome, refusalOutcome } from "./command.ts";

export const answerCommand: Command = {
  name: "answer",
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
};

/** A question without fields is answered with any word. */
function contentOf({ fields }: McpQuestion, typed: string): Readonly<Record<string, string>> {
  const [only, ...others] = fields;
  if (only === undefined) return {};
  const pairs = readPairs(typed);
  if (pairs !== null && Object.keys(pairs).every((key) => fields.some(({ name }) => name === key))) return pairs;
  return others.length === 0 ? { [only.name]: typed } : (pairs ?? { [typed]: "" });
}
