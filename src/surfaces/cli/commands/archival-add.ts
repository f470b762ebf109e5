// `palimpsest archival add`.
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { shareFlag } from "../parse/number-flag.ts";
import { printResult } from "../print.ts";
import { filledTextAt } from "../parse/word-argument.ts";

export const archivalAdd: Command = {
  words: ["archival", "add"],
  alias: "insert",
  usage: "TEXT",
  summary: "add a passage to an agent's archive; - reads stdin",
  flags: ["agent", "tag", "importance", "json", ...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const importance = shareFlag(call.line, "importance");
    const details = { tags: call.line.lists.tag ?? [], ...(importance === undefined ? {} : { importance }) };
    const text = await filledTextAt(call, 0);
    const { id, isNew } = await (await call.runtime()).archival.add(call.agent, text, details);
    printResult(call, { json: { id, isNew }, text: isNew ? "Added." : "The same text is already stored." });
    return 0;
  },
};
