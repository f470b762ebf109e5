// `palimpsest restore`.
import type { Command } from "../command.ts";
import { externalText, whereText } from "../format/external-objects.ts";
import { storeFlags } from "../parse/flags.ts";
import { notice, printText } from "../print.ts";
import { wordAt } from "../parse/word-argument.ts";

export const restore: Command = {
  words: ["restore"],
  usage: "FILE",
  summary: "restore a backup into an empty database",
  details:
    "Needs a new --data-dir or an empty PostgreSQL database; any other database is refused and not changed. A file that is\n" +
    "not an unchanged backup is refused, and the database stays empty.",
  flags: [...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const file = wordAt(call, 0);
    const runtime = await call.runtime();
    const { external } = await runtime.restore(file);
    printText(call.world, `Restored ${file}.`);
    if (external.length > 0) {
      notice(call, `The rows name ${externalText(external)}, which no backup contains: ${whereText}`);
    }
    return 0;
  },
};
