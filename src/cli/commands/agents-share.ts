// `palimpsest agents share`.
import type { Command } from "../command.ts";
import { storeFlags } from "../flags.ts";
import { printText } from "../print.ts";
import { wordAt } from "../word-argument.ts";

export const agentsShare: Command = {
  words: ["agents", "share"],
  usage: "NAME USER",
  summary: "let another user talk with an agent of yours",
  details: "The persona is common to all; what it knows of a user, conversations and archive are each user's own.",
  flags: [...storeFlags],
  takes: { least: 2, most: 2 },
  async run(call) {
    const [name, user] = [wordAt(call, 0), wordAt(call, 1)];
    await (await call.runtime()).agents.share(name, user);
    printText(call.world, `User "${user}" may now talk with "${name}".`);
    return 0;
  },
};
