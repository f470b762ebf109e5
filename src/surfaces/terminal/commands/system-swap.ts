// `/systemswap TEXT`: replaces the agent's system prompt, like MemGPT's command. Without a text: shows it.
// Invariant: nothing changes before the user has seen the old and the new prompt and has confirmed.
import { takeCodePoints } from "../../../base/code-points.ts";
import { questionDialog } from "../dialogs/question.ts";
import { itemRows } from "../rows/item-rows.ts";
import { span } from "../rows/row.ts";
import type { ViewItem } from "../view/view-item.ts";
import { type Command, type CommandContext, type CommandOutcome, noteOutcome } from "./command.ts";
import { reopenAgent } from "./reopen-agent.ts";

/** Maximum length of a shown prompt, in code points. */
const maxShownLength = 8000;

export const systemSwapCommand: Command = {
  name: "systemswap",
  usage: "/systemswap [TEXT]",
  summary: "show or replace the system prompt; asks first",
  manual: "shows the system prompt, or replaces it: shows old and new, and asks",
  isAlwaysReady: false,
  async run(context) {
    const { runtime, agent, argument } = context;
    const { systemPrompt, name } = await runtime.agents.find(agent.record.id);
    if (argument === "") return { items: [panel("The system prompt", systemPrompt)] };
    if (argument === systemPrompt) return noteOutcome(`${name} already has this system prompt.`);
    const shown = [panel("The system prompt now", systemPrompt), panel("Then", argument)];
    const isWanted = await context.open(
      questionDialog({
        text: `Swap the system prompt of ${name}, in every conversation?`,
        // Every item has a blank row above it, and so has a dialog, so the first row is dropped.
        rows: (width) => shown.flatMap((item) => itemRows(item, width)).slice(1),
      }),
    );
    return isWanted === true ? swap(context, shown) : noteOutcome("Nothing was changed.");
  },
};

async function swap(context: CommandContext, shown: readonly ViewItem[]): Promise<CommandOutcome> {
  const { runtime, agent, argument } = context;
  const { id, name } = agent.record;
  await runtime.agents.setSystemPrompt(id, argument);
  const note = noteOutcome(`${name} has another system prompt from now on, in every conversation.`);
  // The old prompt stays on the screen, since it is stored nowhere else.
  return { items: [...shown, ...note.items], effect: await reopenAgent(context) };
}

function panel(heading: string, text: string): ViewItem {
  const clipped = takeCodePoints(text, maxShownLength);
  return {
    kind: "panel",
    paragraphs: [
      { indent: 0, spans: [span(heading, "strong")] },
      { indent: 2, spans: [clipped === "" ? span("(empty)", "faint") : span(clipped)] },
      ...(clipped.length < text.length
        ? [{ indent: 2, spans: [span(`… the first ${maxShownLength} characters`, "faint")] }]
        : []),
    ],
  };
}
