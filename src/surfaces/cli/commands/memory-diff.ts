// `palimpsest memory diff`.
import { ConfigError } from "../../../base/errors.ts";
import type { Command, CommandCall } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { diffShape } from "../format/listing-shapes.ts";
import { changeLines } from "../format/listing-texts.ts";
import { revisionFlag } from "../parse/number-flag.ts";
import { printResult } from "../print.ts";
import type { ModuleDiff } from "../runtime-records.ts";

export const memoryDiff: Command = {
  words: ["memory", "diff"],
  usage: "[LABEL] [--from N] [--to N]",
  summary: "show what changed in a module between two revisions",
  details: "Default: the last edit. Without LABEL: of the module that was edited last.",
  flags: ["agent", "from", "to", "json", ...storeFlags],
  takes: { min: 0, max: 1 },
  async run(call) {
    const diff = await diffOf(call);
    printResult(call, {
      json: diff === null ? null : diffShape(diff),
      text: diff === null ? "There are no edits yet." : diffText(diff),
    });
    return 0;
  },
};

async function diffOf(call: CommandCall): Promise<ModuleDiff | null> {
  const from = revisionFlag(call.line, "from", 0);
  const to = revisionFlag(call.line, "to", 0);
  const [label] = call.words;
  if (label === undefined && (from !== undefined || to !== undefined)) {
    throw new ConfigError("--from and --to need a module, as in memory diff human --from 1.");
  }
  const { memory } = await call.runtime();
  const changed = label ?? (await memory.revisions(call.agent, { limit: 1 }))[0]?.label;
  if (changed === undefined) return null;
  return memory.diff(call.agent, changed, {
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  });
}

function diffText({ label, from, to, before, after }: ModuleDiff): string {
  const head = `${label}, revision ${from} to ${to}`;
  const changes = changeLines(before, after);
  return [head, ...(changes.length === 0 ? ["  (no difference)"] : changes)].join("\n");
}
