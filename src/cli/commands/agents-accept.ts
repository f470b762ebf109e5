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
  details: "Its persona and its instructions are the owner's, who can change them. agents leave ends it.",
  flags: ["json", ...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const agent = await (await call.runtime()).agents.accept(wordAt(call, 0));
    printResult(call, {
      json: agentDetailShape(agent),
      text: `You can use "${agent.name}" of "${agent.ownerId}" now: palimpsest -a ${agent.name}`,
    });
    return 0;
  },
};
