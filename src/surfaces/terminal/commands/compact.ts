// `/compact [focus]`: compacts the window now; `/compact undo` undoes the newest compaction. `/consolidate` tidies memory.
import { compactionItem, linesPanel, notice } from "../view/notices.ts";
import { countLabel, shrinkLabel } from "../rows/labels.ts";
import type { Consolidation } from "../runtime-records.ts";
import { command, type CommandContext, type CommandOutcome, noteOutcome, refusalOutcome } from "./command.ts";

export const compactCommand = command({
  usage: "/compact [focus | undo]",
  summary: "summarize older messages now, with a focus; or undo it",
  manual: "compacts the window now, keeping the focus above all; `undo` undoes the last compaction",
  run: (context) => (context.argument.toLowerCase() === "undo" ? undo(context) : compact(context)),
});

export const summarizeCommand = command({ usage: "/summarize [focus]", summary: "alias of /compact", run: compact });

export const consolidateCommand = command({
  usage: "/consolidate [apply [N …]]",
  summary: "let a model propose how to tidy memory; review it",
  manual:
    "[tidies memory](consolidation.md): shows a diff with quotes, of a run that waits or of a new one; `apply` and `reject` act on it, `undo` on the last one applied",
  async run({ runtime: { consolidation }, agent, argument, signal }) {
    const [verb = "", ...numbers] = argument.split(/\s+/u);
    const review = reviews.find((name) => name === verb);
    const { chooseRun } = await import("../../consolidation-choice.ts");
    const run = await chooseRun(consolidation, agent.record.id, review ?? "show");
    const isWaiting = run?.status === "proposed";
    if (verb === "") return shownRun(isWaiting ? run : await consolidation.run(agent.record.id, { signal }));
    if (verb === "undo" && numbers.length > 0)
      return refusalOutcome("/consolidate undo takes no numbers: it undoes the whole run.", "/consolidate undo");
    if (review === undefined || !numbers.every((word) => /^[1-9]\d{0,2}$/u.test(word)))
      return refusalOutcome("Expected apply, reject or undo, and numbers of operations.", "/consolidate apply 1 3");
    if (run === undefined) return refusalOutcome("Memory was never consolidated.", "/consolidate");
    const operations = numbers.length === 0 ? {} : { operations: numbers.map(Number) };
    return shownRun(await consolidation[review](run.id, operations));
  },
});

const reviews = ["apply", "reject", "undo"] as const;

async function shownRun(run: Consolidation | null): Promise<CommandOutcome> {
  if (run === null) return noteOutcome("Memory needs no tidying: no model was called.");
  const { consolidationText } = await import("../../consolidation-text.ts");
  return { items: [linesPanel(consolidationText(run))] };
}

async function compact({ agent, argument, signal }: CommandContext): Promise<CommandOutcome> {
  const focus = argument === "" ? {} : { focus: argument };
  const result = await agent.compact({ ...focus, signal });
  return { items: [...result.warnings.map((text) => notice("warning", text)), compactionItem(result)] };
}

async function undo({ agent }: CommandContext): Promise<CommandOutcome> {
  const { messages, tokensBefore, tokensAfter } = await agent.undoCompaction();
  return noteOutcome(
    `${countLabel(messages.length, "message")} in the window again: ${shrinkLabel(tokensBefore, tokensAfter)}.`,
    "If the window is too full, the next turn compacts it again.",
  );
}
