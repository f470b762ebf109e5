// `palimpsest agents offers`.
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { offerShape } from "../format/listing-shapes.ts";
import { minute, tableText } from "../format/listing-texts.ts";
import { printResult } from "../print.ts";

export const agentsOffers: Command = {
  words: ["agents", "offers"],
  usage: "",
  summary: "list agents that other users offer you",
  flags: ["json", ...storeFlags],
  takes: { min: 0, max: 0 },
  async run(call) {
    const offers = await (await call.runtime()).agents.offers();
    printResult(call, {
      json: offers.map(offerShape),
      text: tableText(
        ["NAME", "OWNER", "OFFERED (UTC)", "ID"],
        offers.map(({ name, ownerId, at, agentId }) => [name, ownerId, minute(at), agentId]),
        "No agent is offered to you.",
      ),
    });
    return 0;
  },
};
