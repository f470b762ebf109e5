// `palimpsest compactions list`.
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { compactionShape } from "../format/listing-shapes.ts";
import { clip, minute, tableText } from "../format/listing-texts.ts";
import { limitFlag } from "../parse/number-flag.ts";
import { openConversation } from "../open-conversation.ts";
import { printResult } from "../print.ts";
import type { Compaction } from "../runtime-records.ts";

export const compactionsList: Command = {
  words: ["compactions", "list"],
  usage: "",
  summary: "list compactions of the last conversation, newest first",
  details:
    "MESSAGES are the first and the last message that it replaced. A later compaction of the same messages supersedes it.",
  flags: ["agent", "resume", "limit", "json", "base-url", "openai-api", ...storeFlags],
  takes: { min: 0, max: 0 },
  async run(call) {
    const compactions = await (await openConversation(call)).compactions(limitFlag(call.line));
    const heading = ["MADE (UTC)", "STRATEGY", "MESSAGES", "TOKENS", "BY", "COST", "UNDONE", "SUMMARY"];
    printResult(call, {
      json: compactions.map(compactionShape),
      text: tableText(heading, compactions.map(rowOf), `"${call.agent}" has every message in its window.`),
    });
    return 0;
  },
};

function rowOf(compaction: Compaction): readonly string[] {
  const { at, strategy, fromPosition, throughPosition, tokensBefore, tokensAfter, model, dollars } = compaction;
  return [
    minute(at),
    strategy,
    `${fromPosition}-${throughPosition}`,
    `${tokensBefore} -> ${tokensAfter}`,
    model ?? "nobody",
    dollars === null ? "unknown" : `$${dollars.toFixed(4)}`,
    compaction.undoneAt === null ? "" : minute(compaction.undoneAt),
    clip(compaction.summary, 60),
  ];
}
