// `palimpsest agents export`.
import type { Command } from "../command.ts";
import { createTextFile } from "../new-file.ts";
import { storeFlags } from "../parse/flags.ts";
import { wordAt } from "../parse/word-argument.ts";
import { notice, printText } from "../print.ts";

export const agentsExport: Command = {
  words: ["agents", "export"],
  usage: "FILE|-",
  summary: "export an agent with all its data as an agent file",
  details:
    "A file of Letta's form (.af), with memory, revisions, all conversations and the archive in a part of its own.\n" +
    "agents import reads it. Contents of attached files are not included.",
  flags: ["agent", ...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const file = wordAt(call, 0);
    const exported = await (await call.runtime()).agents.export(call.agent);
    const text = `${JSON.stringify(exported)}\n`;
    if (file === "-") {
      call.world.stdout.write(text);
      notice(call, `wrote the agent "${call.agent}"`);
      return 0;
    }
    await createTextFile(file, text);
    printText(call.world, `Wrote the agent "${call.agent}" to ${file}.`);
    return 0;
  },
};
