// `/branch [N]`: lists the branches of the conversation, or switches to one by its number or the end of its id.
import { countLabel, whenLabel } from "../rows/labels.ts";
import { pastItems } from "../view/past-items.ts";
import { span } from "../rows/row.ts";
import type { BranchRecord } from "../runtime-records.ts";
import type { Paragraph } from "../view/view-item.ts";
import { notice, rowPanel } from "../view/notices.ts";
import {
  command,
  type CommandContext,
  type CommandOutcome,
  elementsMeant,
  noteOutcome,
  refusalOutcome,
} from "./command.ts";

export const branchCommand = command({
  usage: "/branch [N]",
  summary: "list branches or switch to one; memory stays as it is",
  manual: "lists the branches of the conversation, or switches to one; memory does not change",
  async run(context) {
    const { agent, argument } = context;
    const branches = await agent.branches();
    if (argument === "") return listBranches(branches, context);
    // Ids are compared at their ends: they begin with the time of creation, so ids of one conversation often begin alike.
    const matches = elementsMeant(branches, argument, ({ id }) => id.endsWith(argument.toLowerCase()));
    const [wanted] = matches;
    if (wanted === undefined) return refusalOutcome(`There is no branch "${argument}".`, "/branch lists the branches.");
    if (matches.length > 1)
      return refusalOutcome(`"${argument}" is the end of ${matches.length} ids.`, "Type more of the id.");
    if (wanted.isCurrent) return noteOutcome("That is the current branch.");
    await agent.switchTo(wanted.id);
    const note = noteOutcome(`Switched to a branch of ${countLabel(wanted.messages, "message")}. Memory is unchanged.`);
    return { items: [...note.items, ...pastItems(agent.messages)], effect: { type: "open", agent } };
  },
});

/** Returns the advice below the list of branches. The first branch is the current one. */
function nextText(branches: readonly BranchRecord[]): string {
  return branches.length === 1
    ? "There is no other branch yet: /retry and /pop create one."
    : "/branch 2 switches to the second one.";
}

function listBranches(branches: readonly BranchRecord[], { now }: CommandContext): CommandOutcome {
  if (branches.length === 0) return noteOutcome("There are no messages yet, so there are no branches.");
  const at = now();
  const paragraphs = branches.map((branch, index): Paragraph => {
    const own = branch.isCurrent ? ", this one" : `, ${branch.ownMessages} of its own`;
    return {
      indent: 0,
      spans: [
        span(`${String(index + 1).padStart(3)}  `, "accent"),
        span(`${countLabel(branch.messages, "message")}${own}, ${whenLabel(branch.at, at)}  `, "faint"),
        span(branch.preview.replaceAll(/\s+/g, " ").trim() || "(nothing said)", branch.isCurrent ? "strong" : "plain"),
      ],
    };
  });
  return { items: [rowPanel(paragraphs), notice("note", nextText(branches))] };
}
