// `palimpsest agents remove`.
import { ConfigError } from "../../errors.ts";
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { printText } from "../print.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { wordAt } from "../parse/word-argument.ts";

export const agentsRemove: Command = {
  words: ["agents", "remove"],
  usage: "NAME --yes",
  summary: "delete an agent and everything that you have with it",
  details:
    "Other users of the agent can then only read what they have with it. For an agent of another user that you may not use\n" +
    "any more: deletes what you have kept.",
  flags: ["yes", ...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const name = wordAt(call, 0);
    const runtime = await call.runtime();
    const agent = (await formerAgent(runtime, name)) ?? (await runtime.agents.find(name));
    if (!call.line.switches.has("yes")) {
      throw new ConfigError(
        `This would delete "${agent.name}" with its memory, conversations and archive, for good. If so, add --yes.`,
      );
    }
    await runtime.agents.delete(agent.id);
    printText(call.world, `Deleted agent "${agent.name}".`);
    return 0;
  },
};

/** Undefined when the name means an agent that is used, too: that one is found first. */
async function formerAgent({ agents }: Runtime, nameOrId: string) {
  const isMeant = ({ id, name }: { readonly id: string; readonly name: string }): boolean =>
    id === nameOrId || name === nameOrId;
  return (await agents.list()).some(isMeant) ? undefined : (await agents.former()).find(isMeant);
}
