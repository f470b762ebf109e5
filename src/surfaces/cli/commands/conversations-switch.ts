// `palimpsest conversations switch`.
import { RequestError } from "../../../base/errors.ts";
import { chosenConversation } from "../chosen-conversation.ts";
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { printText } from "../print.ts";
import { wordAt } from "../parse/word-argument.ts";

export const conversationsSwitch: Command = {
  words: ["conversations", "switch"],
  usage: "MESSAGE",
  summary: "switch a conversation to another message or branch",
  details:
    "Default: the last used conversation; --resume names another. `conversations branches` shows ids. The next message\n" +
    "follows that one. Memory does not change: edits made on a branch stay.",
  flags: ["agent", "resume", "wait", ...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const messageId = wordAt(call, 0);
    const id = await chosenConversation(call);
    if (id === null)
      throw new RequestError(
        "message_not_found",
        `"${call.agent}" has no conversation yet. Start one with \`palimpsest -a ${call.agent}\`.`,
      );
    const agent = await (await call.runtime()).agents.open(call.agent, { conversation: { id }, withoutCalls: true });
    await agent.switchTo(messageId);
    printText(call.world, `Conversation ${id} is now at message ${messageId}.`);
    return 0;
  },
};
