// `palimpsest users remove`.
import { ConfigError, RequestError } from "../../../base/errors.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import type { Command, CommandCall } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { removeInputHistory } from "../chat/input-history-file.ts";
import { notice, printText } from "../print.ts";
import { settingsOf } from "../parse/setting-flags.ts";
import { wordAt } from "../parse/word-argument.ts";

export const usersRemove: Command = {
  words: ["users", "remove"],
  usage: "USER --yes",
  summary: "delete a user and everything that belongs to them",
  details:
    "Deletes their agents, their conversations and archives with any agent, and offers both ways. Other users can then only\n" +
    "read their data with these agents. Earlier backups still contain everything.",
  flags: ["yes", ...storeFlags.filter((name) => name !== "user")],
  takes: { min: 1, max: 1 },
  async run(call) {
    const user = wordAt(call, 0);
    const runtime = await openAs(call, user);
    try {
      return await remove(call, runtime);
    } finally {
      await runtime.close();
    }
  },
};

/** Opens a runtime of that user, since a runtime can delete only its own user. */
function openAs(call: CommandCall, user: string): Promise<Runtime> {
  return call.world.openRuntime({ ...settingsOf(call.line), user }, (text) => notice(call, text));
}

async function remove(call: CommandCall, runtime: Runtime): Promise<number> {
  const { userId } = runtime;
  const usage = await runtime.user.usage();
  if (usage === null)
    throw new RequestError(
      "user_not_found",
      `There is no data of a user "${userId}". Check the name: it must equal the value of --user.`,
    );
  const { agents, sharedWith, conversations, messages, passages, sources } = usage;
  const parts = `${agents} agents, ${conversations} conversations with ${messages} messages, ${sources} sources, ${passages} passages`;
  if (!call.line.switches.has("yes")) {
    const others =
      sharedWith === 0 ? "" : ` Other users who could then only read their data with these agents: ${sharedWith}.`;
    throw new ConfigError(`This would permanently delete "${userId}": ${parts}.${others} To confirm, add --yes.`);
  }
  await runtime.user.delete();
  const { dataDir } = await call.world.settings(settingsOf(call.line));
  await removeInputHistory(dataDir, userId);
  printText(call.world, `Deleted "${userId}": ${parts}.`);
  return 0;
}
