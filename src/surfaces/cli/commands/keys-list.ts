// `palimpsest keys list`.
import type { Command } from "../command.ts";
import { minute, tableText } from "../format/listing-texts.ts";
import { storeFlags } from "../parse/flags.ts";
import { printResult } from "../print.ts";

export const keysList: Command = {
  words: ["keys", "list"],
  usage: "",
  summary: "list the keys of a user, also the revoked ones",
  flags: ["json", ...storeFlags],
  takes: { min: 0, max: 0 },
  async run(call) {
    const runtime = await call.runtime();
    const keys = await runtime.keys.list();
    const rows = keys.map(({ id, name, prefix, scope, agentId, createdAt, lastUsedAt, revokedAt }) => [
      name,
      `${prefix}…`,
      scope,
      agentId ?? "every agent",
      minute(createdAt),
      lastUsedAt === null ? "never" : minute(lastUsedAt),
      revokedAt === null ? "" : `revoked ${minute(revokedAt)}`,
      id,
    ]);
    printResult(call, {
      json: keys,
      text: tableText(
        ["NAME", "SECRET", "SCOPE", "AGENT", "MADE (UTC)", "USED (UTC)", "STATE", "ID"],
        rows,
        `"${runtime.userId}" has no key.`,
      ),
    });
    return 0;
  },
};
