// `palimpsest import letta`.
import { ConfigError } from "../../../base/errors.ts";
import type { Command, CommandCall } from "../command.ts";
import { watchImport } from "../format/watch-import.ts";
import { transferText } from "../format/transfer-text.ts";
import { storeFlags } from "../parse/flags.ts";
import { notice, printResult } from "../print.ts";

export const importLetta: Command = {
  words: ["import", "letta"],
  usage: "--database URL",
  summary: "import everything in the database of a Letta server",
  details:
    "Reads the PostgreSQL database of Letta's server 0.16.8 and changes nothing in it: agents, blocks, messages,\n" +
    "conversations, passages, files and tools, with their ids. Can be repeated, also after an interruption: only what is new\n" +
    "is stored. All texts get the trust class external, and tools with source code wait for your approval.",
  flags: ["database", "model", "dry-run", "json", ...storeFlags],
  takes: { min: 0, max: 0 },
  handlesAbort: true,
  async run(call) {
    const { database, model } = call.line.texts;
    if (database === undefined) {
      throw new ConfigError("Missing --database URL, such as postgresql://letta:letta@localhost:5432/letta.");
    }
    const dryRun = call.line.switches.has("dry-run");
    const imported = await importAll(call, database, { dryRun, ...(model === undefined ? {} : { model }) });
    const { agents, counts, notes } = imported;
    for (const note of notes) notice(call, note);
    const done = dryRun ? "Would import" : "Imported";
    const of = `${agents.length} ${agents.length === 1 ? "agent" : "agents"} of the database`;
    printResult(call, { json: { agents, counts, notes, dryRun }, text: `${done}: ${transferText(counts)} (${of}).` });
    return 0;
  },
};

async function importAll(call: CommandCall, database: string, options: { readonly dryRun: boolean }) {
  const runtime = await call.runtime();
  return watchImport(call, options, async (bar) => {
    const imported = await runtime.agents.importLetta(database, {
      ...options,
      signal: call.world.signal,
      onProgress: ({ agentsDone: done, agents: total, name }) =>
        bar.show({ label: "Importing agents", done, total, share: done / total, name }),
    });
    bar.clear();
    await runtime.idle();
    return imported;
  });
}
