// `palimpsest agents list`.
import { nameCommand } from "../../../base/started-command.ts";
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { agentShape, formerAgentShape } from "../format/listing-shapes.ts";
import { minute, modelAtText, tableText } from "../format/listing-texts.ts";
import { printResult } from "../print.ts";

export const agentsList: Command = {
  words: ["agents", "list"],
  usage: "",
  summary: "list your agents and the shared agents that you use",
  flags: ["tag", "json", ...storeFlags],
  takes: { min: 0, max: 0 },
  async run(call) {
    const runtime = await call.runtime();
    const { tag: tags = [] } = call.line.lists;
    const agents = await runtime.agents.list({ tags });
    // Nothing describes an agent that can only be read.
    const former = tags.length > 0 ? [] : await runtime.agents.former();
    const rows = agents.map(({ name, ownerId, model, settings, protocol, memoryType, createdAt, id }) => [
      name,
      ownerId,
      modelAtText(model, settings.baseUrl),
      protocol,
      memoryType,
      minute(createdAt),
      id,
    ]);
    const readable = former.map(({ name, ownerId, endedAt, id }) => [
      name,
      ownerId ?? "(deleted)",
      `only read since ${minute(endedAt)}`,
      "",
      "",
      "",
      id,
    ]);
    printResult(call, {
      json: [...agents.map(agentShape), ...former.map(formerAgentShape)],
      text: tableText(
        ["NAME", "OWNER", "MODEL", "PROTOCOL", "MEMORY", "MADE (UTC)", "ID"],
        [...rows, ...readable],
        nameCommand("There are no agents yet. `palimpsest` creates one.", call.world.command),
      ),
    });
    return 0;
  },
};
