// `palimpsest agents list`.
import type { Command } from "../command.ts";
import { storeFlags } from "../flags.ts";
import { agentShape } from "../listing-shapes.ts";
import { minute, tableText } from "../listing-texts.ts";
import { printResult } from "../print.ts";

export const agentsList: Command = {
  words: ["agents", "list"],
  usage: "",
  summary: "list your agents and those shared with you",
  flags: ["json", ...storeFlags],
  takes: { least: 0, most: 0 },
  async run(call) {
    const agents = await (await call.runtime()).agents.list();
    const rows = agents.map(({ name, model, protocol, memoryType, createdAt, id }) => [
      name,
      model,
      protocol,
      memoryType,
      minute(createdAt),
      id,
    ]);
    printResult(call, {
      json: agents.map(agentShape),
      text: tableText(
        ["NAME", "MODEL", "PROTOCOL", "MEMORY", "MADE (UTC)", "ID"],
        rows,
        "There are no agents yet. `palimpsest` makes one.",
      ),
    });
    return 0;
  },
};
