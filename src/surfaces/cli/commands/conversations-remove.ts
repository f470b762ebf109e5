// `palimpsest conversations remove`.
import { ConfigError } from "../../../base/errors.ts";
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { printText } from "../print.ts";
import { wordAt } from "../parse/word-argument.ts";

export const conversationsRemove: Command = {
  words: ["conversations", "remove"],
  usage: "ID --yes",
  summary: "delete a conversation and its messages",
  details: "Memory and passages written in it stay, without a reference to it.",
  flags: ["yes", ...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const id = wordAt(call, 0);
    if (!call.line.switches.has("yes")) {
      throw new ConfigError(
        `This would permanently delete the conversation ${id} with its messages. To confirm, add --yes.`,
      );
    }
    await (await call.runtime()).conversations.delete(id);
    printText(call.world, `Deleted conversation ${id}.`);
    return 0;
  },
};
