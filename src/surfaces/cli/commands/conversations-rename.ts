// `palimpsest conversations rename`.
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { printResult } from "../print.ts";
import { wordAt } from "../parse/word-argument.ts";

export const conversationsRename: Command = {
  words: ["conversations", "rename"],
  usage: "ID TITLE",
  summary: "set the title of a conversation",
  details: "Listings show the title instead of the first message.",
  flags: ["json", ...storeFlags],
  takes: { min: 2, max: 2 },
  async run(call) {
    const { id, title } = await (await call.runtime()).conversations.rename(wordAt(call, 0), wordAt(call, 1));
    printResult(call, { json: { id, title }, text: `Renamed conversation ${id} to "${title}".` });
    return 0;
  },
};
