// `palimpsest context plan`.
import { ConfigError } from "../../../base/errors.ts";
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { optionalNumberFlag } from "../parse/number-flag.ts";
import { plannedShape, plannedText } from "../format/planned-text.ts";
import { printResult } from "../print.ts";
import { wordAt } from "../parse/word-argument.ts";

/** Default token limit of `Runtime.getContext`. */
const defaultTokens = 4000;

export const contextPlan: Command = {
  words: ["context", "plan"],
  usage: "QUERY",
  summary: "show what the memories contain for a question, and why",
  details:
    "Shows the synopsis, the last messages, and the best hits of working and archival memory, as the query planner chooses\n" +
    "them; then every hit and whether it was taken, the time of each source, and failed sources. Calls no model. Working\n" +
    "memory takes part if it is configured; texts of other processes only with refilled.",
  flags: ["agent", "resume", "tokens", "json", ...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const query = wordAt(call, 0);
    if (query.trim() === "") throw new ConfigError("Expected a query, got an empty text. Write the query in quotes.");
    const maxTokens = optionalNumberFlag(call.line, "tokens", { min: 1, max: 1_000_000 }) ?? defaultTokens;
    const conversation = call.line.texts.resume;
    const chosen = conversation === undefined ? {} : { conversation };
    const planned = await (await call.runtime()).getContext(call.agent, query, { maxTokens, ...chosen });
    printResult(call, { json: plannedShape(planned), text: plannedText(planned, maxTokens) });
    return 0;
  },
};
