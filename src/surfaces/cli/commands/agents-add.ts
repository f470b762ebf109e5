// `palimpsest agents add`.
import { createOptions } from "../parse/agent-options.ts";
import type { Command } from "../command.ts";
import { creationFlags, storeFlags } from "../parse/flags.ts";
import { agentDetailShape } from "../format/listing-shapes.ts";
import { printResult } from "../print.ts";
import { wordAt } from "../parse/word-argument.ts";

export const agentsAdd: Command = {
  words: ["agents", "add"],
  usage: "NAME",
  summary: "create an agent without sending it a message",
  flags: ["json", ...creationFlags, ...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const runtime = await call.runtime();
    const agent = await runtime.agents.create({ name: wordAt(call, 0), ...(await createOptions(call.line, runtime)) });
    printResult(call, { json: agentDetailShape(agent), text: `Created agent "${agent.name}" (${agent.model}).` });
    return 0;
  },
};
