// `palimpsest archival add`.
import type { Command } from "../command.ts";
import { storeFlags } from "../flags.ts";
import { printResult } from "../print.ts";
import { filledTextAt } from "../word-argument.ts";

export const archivalAdd: Command = {
  words: ["archival", "add"],
  usage: "TEXT",
  summary: "add a passage to an agent's archive; - reads it from stdin",
  flags: ["agent", "tags", "json", ...storeFlags],
  takes: { least: 1, most: 1 },
  async run(call) {
    const text = await filledTextAt(call, 0);
    const tags = (call.line.texts.tags ?? "")
      .split(",")
      .map((tag) => tag.trim())
      .filter((tag) => tag !== "");
    const added = await (await call.runtime()).archival.add(call.agent, text, { tags });
    printResult(call, { json: { added }, text: added ? "Added." : "The same text was there already." });
    return 0;
  },
};
