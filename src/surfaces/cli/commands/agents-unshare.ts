// `palimpsest agents unshare`.
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { printText } from "../print.ts";
import { wordAt } from "../parse/word-argument.ts";

export const agentsUnshare: Command = {
  words: ["agents", "unshare"],
  usage: "NAME USER",
  summary: "stop sharing an agent, or withdraw the offer",
  details: "The user keeps their own conversations with the agent, and can read and export them.",
  flags: [...storeFlags],
  takes: { min: 2, max: 2 },
  async run(call) {
    const [name, user] = [wordAt(call, 0), wordAt(call, 1)];
    const isEnded = await (await call.runtime()).agents.unshare(name, user);
    printText(
      call.world,
      isEnded ? `"${name}" is no longer shared with "${user}".` : `"${name}" was not shared with "${user}".`,
    );
    return 0;
  },
};
