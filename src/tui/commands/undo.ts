// `/undo [label]`: takes back the last change of core memory and shows what that changed.
import { type Command, noteOutcome } from "./command.ts";

export const undoCommand: Command = {
  name: "undo",
  usage: "/undo [label]",
  summary: "take back the last memory edit",
  isAlwaysReady: false,
  async run({ agent, argument }) {
    const undone = await agent.undoEdit(argument === "" ? undefined : argument);
    if (undone === null)
      return noteOutcome(
        argument === "" ? "There is no memory edit to take back." : `There is no edit of "${argument}" to take back.`,
      );
    const { label, before, after, revision } = undone;
    const limit = agent.memory.modules.find((module) => module.label === label)?.limit ?? null;
    return {
      items: [
        { kind: "notice", level: "note", text: `Took back revision ${revision} of ${label}.` },
        { kind: "memory-edit", label, before: after, after: before, limit },
      ],
    };
  },
};
