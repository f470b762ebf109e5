// `/retry`: answers the last user message again. The old answer becomes a branch, and its memory edits are reverted.
import { type Command, refusalOutcome } from "./command.ts";
import { chosenMemory } from "./memory-choice.ts";

export const retryCommand: Command = {
  name: "retry",
  usage: "/retry",
  summary: "answer again; reverts the last answer and its memory edits",
  manual:
    "reverts the last answer with its memory edits, and answers again; `--keep-memory`, `--force`: [memory.md](memory.md#going-back)",
  isAlwaysReady: false,
  async run({ agent, argument }) {
    const chosen = chosenMemory(argument, "/retry --keep-memory");
    if ("items" in chosen) return chosen;
    const { memory, words } = chosen;
    if (words.length > 0) return refusalOutcome(`/retry takes no words, got "${words.join(" ")}".`, "/retry");
    const last = agent.messages.findLast((message) => message.role === "user" && message.kind === "message");
    if (last === undefined) return refusalOutcome("There is no message of yours to answer again.");
    return {
      items: [{ kind: "user", text: last.text }],
      effect: { type: "turn", begin: (options) => agent.retry({ ...options, memory }) },
    };
  },
};
