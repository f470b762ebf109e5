// `palimpsest agents accept`.
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { agentDetailShape } from "../format/listing-shapes.ts";
import { printResult } from "../print.ts";
import { wordAt } from "../parse/word-argument.ts";

export const agentsAccept: Command = {
  words: ["agents", "accept"],
  usage: "OWNER/NAME",
  summary: "accept an offer to use another user's agent",
  details: "The owner can change its persona and instructions. To stop using it: agents leave.",
  flags: ["json", ...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const agent = await (await call.runtime()).agents.accept(wordAt(call, 0));
    printResult(call, {
      json: agentDetailShape(agent),
      text: `You can now use "${agent.name}" of "${agent.ownerId}": ${call.world.command} -a ${agent.name}`,
    });
    return 0;
  },
};
