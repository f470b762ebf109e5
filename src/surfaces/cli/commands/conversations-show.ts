// `palimpsest conversations show`.
import { RequestError } from "../../../base/errors.ts";
import { chosenConversation } from "../chosen-conversation.ts";
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { saidMessageShape } from "../format/listing-shapes.ts";
import { indent, minute } from "../format/listing-texts.ts";
import { printResult } from "../print.ts";

export const conversationsShow: Command = {
  words: ["conversations", "show"],
  usage: "",
  summary: "show the messages of a conversation",
  details: "Default: the last used conversation; --resume names another. Works with formerly shared agents, too.",
  flags: ["agent", "resume", "json", ...storeFlags],
  takes: { min: 0, max: 0 },
  async run(call) {
    const id = await chosenConversation(call);
    if (id === null)
      throw new RequestError(
        "conversation_not_found",
        `"${call.agent}" has no conversation yet. Start one with \`palimpsest -a ${call.agent}\`.`,
      );
    const messages = await (await call.runtime()).conversations.export(id);
    const texts = messages.map(
      ({ role, speaker, text, at }) =>
        `${minute(at)}  ${speaker ?? (role === "user" ? "you" : "agent")}\n${indent(text)}`,
    );
    printResult(call, {
      json: { conversationId: id, messages: messages.map(saidMessageShape) },
      text: texts.length === 0 ? "This conversation has no messages yet." : texts.join("\n"),
    });
    return 0;
  },
};
