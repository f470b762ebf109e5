// `palimpsest recall`: searches the messages of all conversations with an agent.
import type { RecallOptions } from "../../../runtime/recall/contract.ts";
import { commandTable } from "../command.ts";
import { foundPieces, foundShape } from "../format/found-pieces.ts";
import { checkDays, dayOf, numberFlag, pageFlags } from "../parse/flag-values.ts";
import type { CommandLine } from "../parse/parse-command-line.ts";
import { queryOf } from "../parse/read-text.ts";

export const commands = commandTable({
  "recall search": {
    usage: "QUERY",
    summary: "search all messages, by words and by meaning",
    details: "A query in double quotes, as in `palimpsest recall search '\"exact words\"'`, finds exactly that text.",
    flags: ["agent", "neighbours", "explain", "all-branches", "page", "page-size", "json"],
    async run(call, word) {
      const query = queryOf(word);
      const isExplained = call.line.switches.has("explain");
      const asked = optionsOf(call.line);
      const found = await (await call.runtime()).recall.search(call.agent, query, asked);
      return { json: foundShape(found), text: foundPieces(found, { query, isExplained }) };
    },
  },
  "recall dates": {
    usage: "FIRST [LAST]",
    summary: "show the messages between two days, both included",
    details: "Days are in the agent's time zone. Without LAST: the single day FIRST.",
    flags: ["agent", "neighbours", "all-branches", "page", "page-size", "json"],
    async run(call, first, last?: string) {
      const start = dayOf(first);
      const end = dayOf(last ?? start);
      checkDays(start, end);
      const asked = optionsOf(call.line);
      const found = await (await call.runtime()).recall.searchDate(call.agent, { start, end }, asked);
      return { json: foundShape(found), text: foundPieces(found) };
    },
  },
});

function optionsOf(line: CommandLine): RecallOptions {
  const neighbours = numberFlag(line, "neighbours", { min: 0, max: 100, otherwise: 0 });
  return {
    ...pageFlags(line),
    ...(line.switches.has("all-branches") ? { includeAbandoned: true } : {}),
    ...(neighbours === 0 ? {} : { neighbours }),
  };
}
