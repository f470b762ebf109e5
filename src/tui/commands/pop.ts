// `/pop [N]`: takes the last messages out of the window and out of recall. Memory edits stay.
import { countLabel } from "../labels.ts";
import { type Command, noteOutcome, refusalOutcome } from "./command.ts";

/** As in MemGPT. */
const defaultCount = 3;

export const popCommand: Command = {
  name: "pop",
  usage: "/pop [N]",
  summary: "take back the last N messages (3)",
  isAlwaysReady: false,
  async run({ agent, argument }) {
    const count = argument === "" ? defaultCount : Number(argument);
    if (!Number.isInteger(count) || count < 1)
      return refusalOutcome(`Expected a number of messages, got "${argument}".`, "/pop 2");
    const popped = await agent.pop(count);
    return noteOutcome(
      `Popped the last ${countLabel(popped.length, "message")}.`,
      "Edits of core memory stay: /undo takes the last one back.",
    );
  },
};
