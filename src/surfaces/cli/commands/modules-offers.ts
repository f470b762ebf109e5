// `palimpsest modules offers`.
import type { Command } from "../command.ts";
import { minute, tableText } from "../format/listing-texts.ts";
import { moduleOfferShape } from "../format/module-shapes.ts";
import { storeFlags } from "../parse/flags.ts";
import { printResult } from "../print.ts";

export const modulesOffers: Command = {
  words: ["modules", "offers"],
  usage: "",
  summary: "list modules that other users offer you",
  flags: ["json", ...storeFlags],
  takes: { min: 0, max: 0 },
  async run(call) {
    const offers = await (await call.runtime()).modules.offers();
    printResult(call, {
      json: offers.map(moduleOfferShape),
      text: tableText(
        ["LABEL", "OWNER", "ACCESS", "OFFERED (UTC)", "ID"],
        offers.map(({ label, ownerId, access, at, moduleId }) => [label, ownerId, access, minute(at), moduleId]),
        "No module is offered to you.",
      ),
    });
    return 0;
  },
};
