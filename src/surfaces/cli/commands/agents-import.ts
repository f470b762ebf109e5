// `palimpsest agents import`.
import type { Command, CommandCall } from "../command.ts";
import { agentShape } from "../format/listing-shapes.ts";
import { transferText } from "../format/transfer-text.ts";
import { choiceFlag } from "../parse/choice-flag.ts";
import { storeFlags } from "../parse/flags.ts";
import { readInput, readTextFile } from "../parse/read-text.ts";
import { wordAt } from "../parse/word-argument.ts";
import { notice, printResult } from "../print.ts";

export const agentsImport: Command = {
  words: ["agents", "import"],
  usage: "FILE|-",
  summary: "create the agents of an agent file",
  details:
    "Reads files of agents export and Letta's agent files (.af), also older ones. All texts get the trust class external,\n" +
    "and tools with source code wait for your approval, unless --keep-trust says that the file is your own.",
  flags: ["name", "suffix", "model", "without-messages", "existing-tools", "keep-trust", "json", ...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const file = wordAt(call, 0);
    const { world } = call;
    const text = file === "-" ? await readInput(world.stdin, world.signal) : await readTextFile(file, "FILE");
    const runtime = await call.runtime();
    const { agents, counts, notes } = await runtime.agents.import(text, optionsOf(call));
    await runtime.idle();
    for (const note of notes) notice(call, note);
    const names = agents.map(({ name }) => `"${name}"`).join(", ");
    printResult(call, {
      json: { agents: agents.map(agentShape), counts, notes },
      text: `Imported ${names}: ${transferText(counts)}.`,
    });
    return 0;
  },
};

function optionsOf({ line }: CommandCall) {
  const { name, suffix, model } = line.texts;
  const existingTools = choiceFlag(line, "existing-tools", ["keep", "replace"]);
  return {
    ...(name === undefined ? {} : { name }),
    ...(suffix === undefined ? {} : { suffix }),
    ...(model === undefined ? {} : { model }),
    ...(existingTools === undefined ? {} : { existingTools }),
    withoutMessages: line.switches.has("without-messages"),
    keepTrust: line.switches.has("keep-trust"),
  };
}
