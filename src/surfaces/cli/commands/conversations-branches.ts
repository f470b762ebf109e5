// `palimpsest conversations branches`.
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { branchShape } from "../format/listing-shapes.ts";
import { clip, minute, tableText } from "../format/listing-texts.ts";
import { printResult } from "../print.ts";
import { chosenConversation } from "../chosen-conversation.ts";

export const conversationsBranches: Command = {
  words: ["conversations", "branches"],
  usage: "",
  summary: "list the branches of a conversation, the current first",
  details: "Default: the last used conversation; --resume names another. FORKS AT is the last shared message.",
  flags: ["agent", "resume", "json", ...storeFlags],
  takes: { min: 0, max: 0 },
  async run(call) {
    const id = await chosenConversation(call);
    const branches = id === null ? [] : await (await call.runtime()).conversations.branches(id);
    const rows = branches.map(({ id: end, at, messages, ownMessages, forkId, isCurrent, preview }) => [
      isCurrent ? "*" : "",
      end,
      minute(at),
      String(messages),
      isCurrent ? "" : String(ownMessages),
      isCurrent ? "" : (forkId ?? "the beginning"),
      clip(preview, 60),
    ]);
    printResult(call, {
      json: branches.map(branchShape),
      text: tableText(
        ["", "ID", "LAST (UTC)", "MESSAGES", "OWN", "FORKS AT", "ENDS WITH"],
        rows,
        `There is no message yet in a conversation with "${call.agent}".`,
      ),
    });
    return 0;
  },
};
