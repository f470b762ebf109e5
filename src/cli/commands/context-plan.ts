// `palimpsest context plan`.
import { ConfigError } from "../../errors.ts";
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { optionalNumberFlag } from "../parse/number-flag.ts";
import { plannedShape, plannedText } from "../format/planned-text.ts";
import { printResult } from "../print.ts";
import { wordAt } from "../parse/word-argument.ts";

/** The tokens that a Runtime fits it to unless it is told otherwise. */
const defaultTokens = 4000;

export const contextPlan: Command = {
  words: ["context", "plan"],
  usage: "QUERY",
  summary: "show what the memories contain for a question, and why",
  details:
    "The synopsis, the last messages, and the best of working and archival memory, as the query planner chooses them; then every\n" +
    "hit with whether it was taken, each source with its time, and what could not be asked. No model is called. Working memory\n" +
    "takes part where the configuration has it on; of another process there is only what refilled brings back.",
  flags: ["agent", "resume", "tokens", "json", ...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const query = wordAt(call, 0);
    if (query.trim() === "") throw new ConfigError("The query is empty: write what memory is to be asked, in quotes.");
    const maxTokens = optionalNumberFlag(call.line, "tokens", { min: 1, max: 1_000_000 }) ?? defaultTokens;
    const conversation = call.line.texts.resume;
    const chosen = conversation === undefined ? {} : { conversation };
    const planned = await (await call.runtime()).getContext(call.agent, query, { maxTokens, ...chosen });
    printResult(call, { json: plannedShape(planned), text: plannedText(planned, maxTokens) });
    return 0;
  },
};
