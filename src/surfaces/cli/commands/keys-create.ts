// `palimpsest keys create`.
import type { Command } from "../command.ts";
import { choiceFlag } from "../parse/choice-flag.ts";
import { storeFlags } from "../parse/flags.ts";
import { printResult } from "../print.ts";

export const keysCreate: Command = {
  words: ["keys", "create"],
  usage: "",
  summary: "create a key for the server, and print its secret once",
  details:
    "The key belongs to the user of --user. Only a hash of its secret is stored: keep the secret when it is shown.",
  flags: ["agent", "scope", "name", "json", ...storeFlags],
  takes: { min: 0, max: 0 },
  async run(call) {
    const { agent, name } = call.line.texts;
    const scope = choiceFlag(call.line, "scope", ["read", "chat", "admin"]);
    const runtime = await call.runtime();
    const { secret, ...key } = await runtime.keys.create({
      ...(agent === undefined ? {} : { agent }),
      ...(name === undefined ? {} : { name }),
      ...(scope === undefined ? {} : { scope }),
    });
    printResult(call, {
      json: { ...key, secret },
      text: `Created a key of "${runtime.userId}" (scope ${key.scope}). Its secret is shown only now:\n${secret}`,
    });
    return 0;
  },
};
