// `palimpsest conversations remove`.
import { ConfigError } from "../../errors.ts";
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { printText } from "../print.ts";
import { wordAt } from "../parse/word-argument.ts";

export const conversationsRemove: Command = {
  words: ["conversations", "remove"],
  usage: "ID --yes",
  summary: "delete a conversation and its messages",
  details: "What the agent put into its memory and its archive stays, and no longer says where it came from.",
  flags: ["yes", ...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const id = wordAt(call, 0);
    if (!call.line.switches.has("yes")) {
      throw new ConfigError(`This would delete the conversation ${id} with its messages, for good. If so, add --yes.`);
    }
    await (await call.runtime()).conversations.delete(id);
    printText(call.world, `Deleted conversation ${id}.`);
    return 0;
  },
};
