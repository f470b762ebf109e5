// `palimpsest memory undo`.
import type { Command } from "../command.ts";
import { storeFlags } from "../flags.ts";
import { revisionShape } from "../listing-shapes.ts";
import { printResult } from "../print.ts";

export const memoryUndo: Command = {
  words: ["memory", "undo"],
  usage: "[LABEL]",
  summary: "take back the last change of core memory, or of one section",
  flags: ["agent", "json", ...storeFlags],
  takes: { least: 0, most: 1 },
  async run(call) {
    const change = await (await call.runtime()).memory.undo(call.agent, call.words[0]);
    printResult(call, {
      json: change === null ? null : revisionShape(change),
      text:
        change === null
          ? "There is nothing to take back."
          : `Took back revision ${change.revision} of ${change.label}.`,
    });
    return 0;
  },
};
