// `/compact [focus]`: compacts the window now; `/compact undo` undoes the newest compaction.
import { compactionItem } from "../view/notices.ts";
import { countLabel, shrinkLabel } from "../rows/labels.ts";
import { command, type CommandContext, type CommandOutcome, noteOutcome } from "./command.ts";

export const compactCommand = command({
  usage: "/compact [focus | undo]",
  summary: "summarize older messages now, with a focus; or undo it",
  manual: "compacts the window now, keeping the focus above all; `undo` undoes the last compaction",
  run: (context) => (context.argument.toLowerCase() === "undo" ? undo(context) : compact(context)),
});

/** `/summarize`: MemGPT's name for `/compact`. */
export const summarizeCommand = command({
  usage: "/summarize [focus]",
  summary: "alias of /compact",
  manual: "alias of `/compact`",
  run: compact,
});

async function compact({ agent, argument, signal }: CommandContext): Promise<CommandOutcome> {
  const focus = argument === "" ? {} : { focus: argument };
  const result = await agent.compact({ ...focus, signal });
  const warnings = result.warnings.map((text) => ({ kind: "notice" as const, level: "warning" as const, text }));
  return { items: [...warnings, compactionItem(result)] };
}

async function undo({ agent }: CommandContext): Promise<CommandOutcome> {
  const { messages, tokensBefore, tokensAfter } = await agent.undoCompaction();
  return noteOutcome(
    `${countLabel(messages.length, "message")} in the window again: ${shrinkLabel(tokensBefore, tokensAfter)}.`,
    "If the window is too full, the next turn compacts it again.",
  );
}
