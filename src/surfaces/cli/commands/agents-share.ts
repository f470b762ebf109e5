// `palimpsest agents share`.
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { printText } from "../print.ts";
import { wordAt } from "../parse/word-argument.ts";

export const agentsShare: Command = {
  words: ["agents", "share"],
  usage: "NAME USER",
  summary: "offer another user the use of your agent",
  details:
    "The user accepts with agents accept OWNER/NAME. All users share the persona; each has separate memory,\n" +
    "conversations and archive.",
  flags: [...storeFlags],
  takes: { min: 2, max: 2 },
  async run(call) {
    const [name, user] = [wordAt(call, 0), wordAt(call, 1)];
    const runtime = await call.runtime();
    await runtime.agents.share(name, user);
    printText(
      call.world,
      `Offered "${name}" to "${user}", who can accept it: ${call.world.command} agents accept ${runtime.userId}/${name}`,
    );
    return 0;
  },
};
