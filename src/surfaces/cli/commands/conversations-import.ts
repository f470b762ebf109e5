// `palimpsest conversations import`.
import { parseMessageLines } from "../../../base/message/message-lines.ts";
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { printResult } from "../print.ts";
import { readTextFile } from "../parse/read-text.ts";
import { wordAt } from "../parse/word-argument.ts";

export const conversationsImport: Command = {
  words: ["conversations", "import"],
  usage: "FILE.jsonl",
  summary: "import a conversation from JSON Lines",
  details:
    'One message per line, in their order: {"role":"user","speaker":"Ada","text":"Ahoy!","at":"2026-11-21T10:13:00Z"}. speaker is optional. If a line is invalid, nothing is imported.',
  flags: ["agent", "title", "json", ...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const file = wordAt(call, 0);
    const messages = parseMessageLines(await readTextFile(file, "conversations import"), file);
    const { title } = call.line.texts;
    const runtime = await call.runtime();
    const { id } = await runtime.conversations.import(call.agent, {
      messages,
      ...(title === undefined ? {} : { title }),
    });
    await runtime.idle();
    printResult(call, {
      json: { conversationId: id, messages: messages.length },
      text: `Imported ${messages.length} messages as conversation ${id}.`,
    });
    return 0;
  },
};
