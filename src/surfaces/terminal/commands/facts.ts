// Defines the slash commands with which the user adds a fact to core memory, or removes a text everywhere.
import { codePointLength } from "../../../base/code-points.ts";
import { nameCommand } from "../../../base/started-command.ts";
import { questionDialog } from "../dialogs/pager.ts";
import { countLabel } from "../rows/labels.ts";
import { span } from "../rows/row.ts";
import type { ForgetPreview } from "../runtime-records.ts";
import { panel } from "../view/notices.ts";
import type { Paragraph, ViewItem } from "../view/view-item.ts";
import {
  command,
  type CommandContext,
  type CommandOutcome,
  noteOutcome,
  refusalOutcome,
  reopenAgent,
  unquoted,
} from "./command.ts";

/** Maximum code points that the notice shows of a fact that core memory already contains. */
const maxShown = 60;

export const rememberCommand = command({
  usage: "/remember TEXT",
  summary: "add a fact to core memory; also #TEXT",
  manual: "adds a line to the module `human` as your edit, which `/undo` undoes; also `#TEXT`",
  async run({ runtime, agent, argument }) {
    if (argument === "") return refusalOutcome("Missing text: /remember TEXT.", "/remember I sail on Sundays.");
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
});

export const forgetCommand = command({
  usage: "/forget TEXT",
  summary: "remove a text everywhere, for good; asks first",
  manual:
    "shows every place that holds a text, in all conversations and memories; asks, and [removes it](forgetting.md)",
  async run(context) {
    const text = unquoted(context.argument);
    if (text === "") return refusalOutcome("Missing text: /forget TEXT.", "/forget my old address");
    const preview = await context.runtime.forget.preview({ texts: [text] });
    const { places } = preview;
    if (places.length === 0) return noteOutcome("That text was not found in any place.", similarText(preview));
    const holding = panelOf(preview, context.program);
    const isWanted = await context.open(
      questionDialog({ text: `Remove it from ${countLabel(places.length, "place")} for good?`, items: [holding] }),
    );
    return isWanted === true ? forget(context, text) : noteOutcome("Nothing was changed.");
  },
});

async function forget(context: CommandContext, text: string): Promise<CommandOutcome> {
  const { places, outOfReach } = await context.runtime.forget.apply({ texts: [text] }, { origin: "user" });
  const done = `Removed from ${countLabel(places.length, "place")}. It can still be on this screen.`;
  const note = noteOutcome([done, ...outOfReach].join(" "));
  return { items: note.items, effect: await reopenAgent(context) };
}

function panelOf(preview: ForgetPreview, program: string): ViewItem {
  const places = preview.places.map(
    ({ kind, id, effect, excerpt }): Paragraph => ({
      indent: 2,
      spans: [
        span(`${effect.padEnd(8)}  ${kind === "other" ? id : kind}  `, "faint"),
        span((excerpt ?? "").replaceAll(/\s+/gu, " ")),
      ],
    }),
  );
  const heading: Paragraph = { indent: 0, spans: [span("What holds the text", "strong")] };
  const near = similarText(preview);
  const last: readonly Paragraph[] =
    near === undefined ? [] : [{ indent: 0, spans: [span(nameCommand(near, program), "faint")] }];
  return panel([heading, ...places, ...last]);
}

function similarText({ similar }: ForgetPreview): string | undefined {
  if (similar.length === 0) return undefined;
  return `${countLabel(similar.length, "similar text")}: \`palimpsest forget TEXT --dry-run\` lists them with their ids.`;
}
