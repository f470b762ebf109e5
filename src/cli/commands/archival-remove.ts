// `palimpsest archival remove`.
import type { Command } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { storeFlags } from "../flags.ts";
import { printError, printText } from "../print.ts";
import { wordAt } from "../word-argument.ts";

export const archivalRemove: Command = {
  words: ["archival", "remove"],
  usage: "ID",
  summary: "delete a passage",
  flags: ["agent", ...storeFlags],
  takes: { least: 1, most: 1 },
  async run(call) {
    const id = wordAt(call, 0);
    if (await (await call.runtime()).archival.delete(call.agent, id)) {
      printText(call.world, "Deleted.");
      return exitCodes.done;
    }
    printError(
      call.world,
      `"${call.agent}" has no passage ${id}. \`palimpsest archival list -a ${call.agent}\` shows their ids.`,
    );
    return exitCodes.failed;
  },
};
