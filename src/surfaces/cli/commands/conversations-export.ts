// `palimpsest conversations export`.
import { RequestError } from "../../../base/errors.ts";
import { messageLines } from "../../../base/message/message-lines.ts";
import { chosenConversation } from "../chosen-conversation.ts";
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { createTextFile } from "../new-file.ts";
import { notice, printText } from "../print.ts";
import { wordAt } from "../parse/word-argument.ts";

export const conversationsExport: Command = {
  words: ["conversations", "export"],
  usage: "FILE|-",
  summary: "export a conversation as JSON Lines",
  details:
    "Default: the last used conversation; --resume names another. Works with formerly shared agents, too.\n" +
    "conversations import reads the file.",
  flags: ["agent", "resume", ...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const file = wordAt(call, 0);
    const id = await chosenConversation(call);
    if (id === null)
      throw new RequestError(
        "conversation_not_found",
        `"${call.agent}" has no conversation yet. Start one with \`palimpsest -a ${call.agent}\`.`,
      );
    const messages = await (await call.runtime()).conversations.export(id);
    const lines = messageLines(messages);
    if (file === "-") {
      call.world.stdout.write(lines);
      notice(call, `wrote ${messages.length} messages`);
      return 0;
    }
    await createTextFile(file, lines);
    printText(call.world, `Wrote ${messages.length} messages to ${file}.`);
    return 0;
  },
};
