// `palimpsest agents remove`.
import { ConfigError } from "../../../base/errors.ts";
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { printText } from "../print.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { wordAt } from "../parse/word-argument.ts";

export const agentsRemove: Command = {
  words: ["agents", "remove"],
  usage: "NAME --yes",
  summary: "delete an agent and everything that you have with it",
  details:
    "Other users of the agent can then only read their data with it. For a former shared agent, deletes your\n" +
    "remaining data.",
  flags: ["yes", ...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const name = wordAt(call, 0);
    const runtime = await call.runtime();
    const agent = (await formerAgent(runtime, name)) ?? (await runtime.agents.find(name));
    if (!call.line.switches.has("yes")) {
      throw new ConfigError(
        `This would permanently delete "${agent.name}" with its memory, conversations and archive. To confirm, add --yes.`,
      );
    }
    await runtime.agents.delete(agent.id);
    printText(call.world, `Deleted agent "${agent.name}".`);
    return 0;
  },
};

/** A former agent of that name. Undefined if an agent in use has the same name, since that one is found first. */
async function formerAgent({ agents }: Runtime, nameOrId: string) {
  const isNamed = ({ id, name }: { readonly id: string; readonly name: string }): boolean =>
    id === nameOrId || name === nameOrId;
  return (await agents.list()).some(isNamed) ? undefined : (await agents.former()).find(isNamed);
}
