// `palimpsest memory undo`.
import { ConfigError, DependentEditsError } from "../../../base/errors.ts";
import type { Command, CommandCall } from "../command.ts";
import { confirm } from "../confirm.ts";
import { storeFlags } from "../parse/flags.ts";
import { undoneShape } from "../format/listing-shapes.ts";
import { coreModule } from "../parse/named-module.ts";
import { revisionFlag } from "../parse/number-flag.ts";
import { printResult } from "../print.ts";
import type { UndoneRevision } from "../runtime-records.ts";

export const memoryUndo: Command = {
  words: ["memory", "undo"],
  usage: "[LABEL] [--revision N [--force]]",
  summary: "undo the last edit of core memory, or a named revision",
  details:
    "If later edits of the module depend on the revision, undo is refused and lists them;\n" +
    "--force undoes them as well.",
  flags: ["agent", "revision", "force", "yes", "json", ...storeFlags],
  takes: { min: 0, max: 1 },
  async run(call) {
    const undone = await undo(call);
    printResult(call, { json: undone === null ? null : undoneShape(undone), text: undoneText(undone) });
    return 0;
  },
};

async function undo(call: CommandCall): Promise<UndoneRevision | null> {
  const [label] = call.words;
  const revision = revisionFlag(call.line, "revision", 1);
  if (label === undefined && revision !== undefined) {
    throw new ConfigError(`--revision needs a module, as in memory undo human --revision ${revision}.`);
  }
  const { memory } = await call.runtime();
  if (revision === undefined) {
    const undone = await memory.undo(call.agent, label);
    if (undone === null && label !== undefined) await coreModule(call, label);
    return undone;
  }
  try {
    return await memory.undo(call.agent, label, { revision });
  } catch (error) {
    if (!(error instanceof DependentEditsError)) throw error;
    if (!(await mayForce(call, error))) throw error;
    return memory.undo(call.agent, label, { revision, force: true });
  }
}

/** Asks in a terminal after it has determined which later edits would be reverted as well. */
async function mayForce({ line, world }: CommandCall, { edits }: DependentEditsError): Promise<boolean> {
  if (!line.switches.has("force")) return false;
  if (!world.isTerminal || line.switches.has("yes")) return true;
  const later = edits.flatMap(({ label, later: numbers }) => numbers.map((number) => `${number} of ${label}`));
  return confirm(world, `This also reverts revision ${later.join(", ")}. Continue?`);
}

function undoneText(undone: UndoneRevision | null): string {
  if (undone === null) return "There is nothing to undo.";
  return [...undone.later, undone]
    .map(({ label, revision }) => `Reverted revision ${revision} of ${label}.`)
    .join("\n");
}
