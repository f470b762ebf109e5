// `/undo [label [N]]`: undoes the last edit of core memory, or revision N of a module, and shows the difference.
import { revertedItems } from "../view/reverted-items.ts";
import { type Command, noteOutcome, refusalOutcome } from "./command.ts";
import { chosenMemory } from "./memory-choice.ts";

const usage = "/undo human 3 --force";

export const undoCommand: Command = {
  name: "undo",
  usage: "/undo [label [N]]",
  summary: "undo the last memory edit, or edit N of a module",
  manual: "undoes the last edit of core memory, or edit N of a module; `--force`: with later edits that depend on it",
  isAlwaysReady: false,
  async run({ agent, argument }) {
    const chosen = chosenMemory(argument, usage);
    if ("items" in chosen) return chosen;
    if (chosen.memory === "keep") return refusalOutcome("Unknown flag --keep-memory.", usage);
    const [label, typed, ...more] = chosen.words;
    const revision = typed === undefined ? undefined : Number(typed);
    if (more.length > 0 || Number.isNaN(revision))
      return refusalOutcome(`Expected a module and the number of an edit, got "${chosen.words.join(" ")}".`, usage);
    const named = revision === undefined ? {} : { revision };
    const undone = await agent.undoEdit(label, { ...named, force: chosen.memory === "force" });
    if (undone === null)
      return noteOutcome(
        label === undefined ? "There is no memory edit to undo." : `There is no edit of "${label}" to undo.`,
      );
    return { items: revertedItems({ edits: [...undone.later, undone], passages: [] }, agent.memory.modules) };
  },
};
