// `palimpsest restore`.
import type { Command } from "../command.ts";
import { storeFlags } from "../flags.ts";
import { printText } from "../print.ts";
import { wordAt } from "../word-argument.ts";

export const restore: Command = {
  words: ["restore"],
  usage: "FILE",
  summary: "read a backup into an empty database",
  details: "Use a new --data-dir, or an empty PostgreSQL database: a database that holds something is left as it is.",
  flags: [...storeFlags],
  takes: { least: 1, most: 1 },
  async run(call) {
    const file = wordAt(call, 0);
    await (await call.runtime()).restore(file);
    printText(call.world, `Restored ${file}.`);
    return 0;
  },
};
