// `palimpsest conversations list`.
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { conversationShape } from "../format/listing-shapes.ts";
import { clip, minute, tableText } from "../format/listing-texts.ts";
import { limitFlag } from "../parse/number-flag.ts";
import { printResult } from "../print.ts";

export const conversationsList: Command = {
  words: ["conversations", "list"],
  usage: "",
  summary: "list conversations, the last used first",
  flags: ["agent", "limit", "json", ...storeFlags],
  takes: { min: 0, max: 0 },
  async run(call) {
    const limit = limitFlag(call.line);
    const conversations = await (await call.runtime()).conversations.list(call.agent, { limit });
    const rows = conversations.map(({ id, updatedAt, messages, title, preview }) => [
      id,
      minute(updatedAt),
      String(messages),
      clip(title ?? preview, 60),
    ]);
    printResult(call, {
      json: conversations.map(conversationShape),
      text: tableText(
        ["ID", "USED (UTC)", "MESSAGES", "TITLE OR BEGINNING"],
        rows,
        `"${call.agent}" has had no conversation yet.`,
      ),
    });
    return 0;
  },
};
