// `/pop [N]`: removes the last messages from the window and from recall, and reverts their memory edits.
import { countLabel } from "../rows/labels.ts";
import { revertedItems } from "../view/reverted-items.ts";
import { type Command, refusalOutcome } from "./command.ts";
import { chosenMemory } from "./memory-choice.ts";

/** As in MemGPT. */
const defaultCount = 3;

export const popCommand: Command = {
  name: "pop",
  usage: "/pop [N]",
  summary: "remove the last N messages (3) and their memory edits",
  manual: "removes the last N messages (3) and reverts their memory edits; `--keep-memory`, `--force`",
  isAlwaysReady: false,
  async run({ agent, argument }) {
    const chosen = chosenMemory(argument, "/pop 2 --keep-memory");
    if ("items" in chosen) return chosen;
    const [typed = String(defaultCount), ...more] = chosen.words;
    const count = Number(typed);
    if (more.length > 0 || !Number.isInteger(count) || count < 1)
      return refusalOutcome(`Expected a number of messages, got "${chosen.words.join(" ")}".`, "/pop 2");
    const taken = await agent.pop(count, { memory: chosen.memory });
    const kept = chosen.memory === "keep" ? " Memory is unchanged." : "";
    return {
      items: [
        {
          kind: "notice",
          level: "note",
          text: `Popped the last ${countLabel(taken.messages.length, "message")}.${kept}`,
        },
        ...revertedItems(taken, agent.memory.modules),
      ],
    };
  },
};
