// `palimpsest keys revoke`.
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { wordAt } from "../parse/word-argument.ts";
import { printResult } from "../print.ts";

export const keysRevoke: Command = {
  words: ["keys", "revoke"],
  usage: "ID",
  summary: "end a key at once",
  flags: ["json", ...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const id = wordAt(call, 0);
    await (await call.runtime()).keys.revoke(id);
    printResult(call, { json: { revoked: id }, text: `Revoked the key ${id}.` });
    return 0;
  },
};
