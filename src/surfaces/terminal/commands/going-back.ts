// Defines the slash commands that remove messages, regenerate an answer, or undo an edit of memory. `--keep-memory` keeps the
// memory edits of the removed messages; `--force` also reverts later edits that depend on the reverted edits.
import type { RevertMode } from "../../../agent/agent.ts";
import { countLabel } from "../rows/labels.ts";
import { notice, revertedItems } from "../view/notices.ts";
import { ifUnchanged } from "../view/past-items.ts";
import { command, type CommandOutcome, noteOutcome, refusalOutcome } from "./command.ts";

export const retryCommand = command({
  usage: "/retry",
  summary: "regenerate the last answer; reverts its memory edits",
  manual:
    "regenerates the last answer, and reverts the old one with its memory edits; `--keep-memory`, `--force`: [memory.md](memory.md#going-back)",
  async run({ agent, argument }) {
    const chosen = chosenMemory(argument, "/retry --keep-memory");
    if ("items" in chosen) return chosen;
    const { memory, words } = chosen;
    if (words.length > 0) return refusalOutcome(`/retry takes no words, got "${words.join(" ")}".`, "/retry");
    const last = agent.messages.findLast((message) => message.role === "user" && message.kind === "message");
    if (last === undefined) return refusalOutcome("You have sent no message whose answer can be regenerated.");
    return {
      items: [{ kind: "user", text: last.text }],
      effect: { type: "turn", begin: (options) => agent.retry({ ...options, memory, ...ifUnchanged(agent) }) },
    };
  },
});

/** Default number of messages that `/pop` removes, as in MemGPT. */
const defaultCount = 3;

export const popCommand = command({
  usage: "/pop [N]",
  summary: "remove the last N messages (3) and their memory edits",
  manual: "removes the last N messages (3) and reverts their memory edits; `--keep-memory`, `--force`",
  async run({ agent, argument }) {
    const chosen = chosenMemory(argument, "/pop 2 --keep-memory");
    if ("items" in chosen) return chosen;
    const [typed = String(defaultCount), ...more] = chosen.words;
    const count = Number(typed);
    if (more.length > 0 || !Number.isInteger(count) || count < 1)
      return refusalOutcome(`Expected a number of messages, got "${chosen.words.join(" ")}".`, "/pop 2");
    const taken = await agent.pop(count, { memory: chosen.memory, ...ifUnchanged(agent) });
    const kept = chosen.memory === "keep" ? " Memory is unchanged." : "";
    const text = `Popped the last ${countLabel(taken.messages.length, "message")}.${kept}`;
    return { items: [notice("note", text), ...revertedItems(taken, agent.memory.modules)] };
  },
});

const usage = "/undo human 3 --force";

export const undoCommand = command({
  usage: "/undo [label [N]]",
  summary: "undo the last memory edit, or edit N of a module",
  manual: "undoes the last edit of core memory, or edit N of a module; `--force`: with later edits that depend on it",
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
});

interface ChosenMemory {
  readonly memory: RevertMode;
  /** The words of the argument that are not flags. */
  readonly words: readonly string[];
}

const choices: Readonly<Record<string, RevertMode>> = { "--keep-memory": "keep", "--force": "force" };

/** Parses a command's argument. Returns a refusal if a flag is unknown or both flags are given. */
function chosenMemory(argument: string, usage: string): ChosenMemory | CommandOutcome {
  const typed = argument.split(/\s+/).filter((word) => word !== "");
  const flags = new Set(typed.filter((word) => word.startsWith("--")));
  const unknown = [...flags].find((flag) => choices[flag] === undefined);
  if (unknown !== undefined) return refusalOutcome(`Unknown flag ${unknown}.`, usage);
  if (flags.size > 1) return refusalOutcome("Expected one of --keep-memory and --force, got both.", usage);
  const [flag] = flags;
  const memory = flag === undefined ? undefined : choices[flag];
  return { memory: memory ?? "revert", words: typed.filter((word) => !word.startsWith("--")) };
}
