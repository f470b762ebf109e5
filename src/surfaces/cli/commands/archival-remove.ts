// `palimpsest archival remove`.
import { ConfigError } from "../../../base/errors.ts";
import type { Command, CommandCall } from "../command.ts";
import { confirm } from "../confirm.ts";
import { exitCodes } from "../exit-codes.ts";
import { storeFlags } from "../parse/flags.ts";
import { notice, printError, printText } from "../print.ts";
import { wordAt } from "../parse/word-argument.ts";

export const archivalRemove: Command = {
  words: ["archival", "remove"],
  alias: "delete",
  usage: "ID --yes",
  summary: "delete a passage; asks on a terminal without --yes",
  flags: ["agent", "yes", ...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const id = wordAt(call, 0);
    if (!(await isConfirmed(call, id))) {
      notice(call, "Nothing was deleted.");
      return exitCodes.failed;
    }
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

async function isConfirmed({ world, line, agent }: CommandCall, id: string): Promise<boolean> {
  if (line.switches.has("yes")) return true;
  const question = `This would permanently delete the passage ${id} of "${agent}".`;
  if (!world.isTerminal) throw new ConfigError(`${question} To confirm, add --yes.`);
  return confirm(world, `${question} Do it?`);
}
