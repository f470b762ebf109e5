// `/remember TEXT`, or `#TEXT`: adds a fact to core memory by hand.
// Invariant: the change is a revision of the user, which `/undo` undoes; the next turn sees it.
import { codePointLength } from "../../../base/code-points.ts";
import { type Command, noteOutcome, refusalOutcome } from "./command.ts";

/** Code points of a known fact that the notice repeats. */
const maxShown = 60;

export const rememberCommand: Command = {
  name: "remember",
  usage: "/remember TEXT",
  summary: "add a fact to core memory; also #TEXT",
  manual: "adds a line to the module `human` as your edit, which `/undo` undoes; also `#TEXT`",
  isAlwaysReady: false,
  async run({ runtime, agent, argument }) {
    if (argument === "")
      return refusalOutcome("Missing text: what is to be remembered?", "/remember I sail on Sundays.");
    const edit = await runtime.memory.remember(agent.record.id, argument);
    if (edit === null) {
      const shown = codePointLength(argument) > maxShown ? `${[...argument].slice(0, maxShown).join("")}…` : argument;
      return noteOutcome(`Core memory has this line already: ${shown}`, "/memory shows it.");
    }
    const { label, before, after, limit } = edit;
    const note = noteOutcome(
      `${agent.record.name} remembers this from its next turn.`,
      `/undo ${label} undoes it. A space before # makes a line a message.`,
    );
    return { items: [{ kind: "memory-edit", label, before, after, limit }, ...note.items] };
  },
};
