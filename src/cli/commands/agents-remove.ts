// `palimpsest agents remove`.
import { ConfigError } from "../../errors.ts";
import type { Command } from "../command.ts";
import { storeFlags } from "../flags.ts";
import { printText } from "../print.ts";
import { wordAt } from "../word-argument.ts";

export const agentsRemove: Command = {
  words: ["agents", "remove"],
  usage: "NAME --yes",
  summary: "delete an agent and everything anyone has with it",
  flags: ["yes", ...storeFlags],
  takes: { least: 1, most: 1 },
  async run(call) {
    const name = wordAt(call, 0);
    const runtime = await call.runtime();
    const agent = await runtime.agents.find(name);
    if (!call.line.switches.has("yes")) {
      throw new ConfigError(
        `This would delete "${agent.name}" with its memory, conversations and archive, for good. If so, add --yes.`,
      );
    }
    await runtime.agents.delete(agent.id);
    printText(call.world, `Deleted agent "${agent.name}".`);
    return 0;
  },
};
