// `palimpsest compactions undo`.
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { undoneCompactionShape } from "../format/listing-shapes.ts";
import { openConversation } from "../open-conversation.ts";
import { printResult } from "../print.ts";

export const compactionsUndo: Command = {
  words: ["compactions", "undo"],
  usage: "",
  summary: "undo the last compaction of the last conversation",
  details:
    "Older summaries are as before it. If the window is then too full, the next turn compacts it again:\n" +
    "first set a larger window or another strategy with agents set.",
  flags: ["agent", "resume", "json", "base-url", "openai-api", ...storeFlags],
  takes: { min: 0, max: 0 },
  async run(call) {
    const undone = await (await openConversation(call)).undoCompaction();
    const { messages, tokensBefore, tokensAfter } = undone;
    printResult(call, {
      json: undoneCompactionShape(undone),
      text: `${messages.length} messages are in the window again: ${tokensBefore} -> ${tokensAfter} tokens.`,
    });
    return 0;
  },
};
