// `/persona [NAME]`: shows the agent's persona and the predefined personas (starters), or replaces the persona by a starter.
// Invariant: the change is a revision of the module, which `/undo persona` reverts.
import { codePointLength, takeCodePoints } from "../../../base/code-points.ts";
import { questionDialog } from "../dialogs/pager.ts";
import { span } from "../rows/row.ts";
import type { Runtime } from "../runtime-records.ts";
import { notice, panel, rowPanel } from "../view/notices.ts";
import type { Paragraph, ViewItem } from "../view/view-item.ts";
import {
  command,
  type CommandContext,
  type CommandOutcome,
  noteOutcome,
  refusalOutcome,
  reopenAgent,
  unknownName,
} from "./command.ts";

const label = "persona";
type Starter = Awaited<ReturnType<Runtime["starters"]["personas"]>>[number];

export const personaCommand = command({
  usage: "/persona [NAME]",
  summary: "show the agent's persona, or give it another",
  manual:
    "shows the persona and the available starters; with a name, replaces the persona by an edit that `/undo persona` undoes",
  async run(context) {
    const { runtime, agent, argument } = context;
    const module = (await runtime.memory.show(agent.record.id)).find((candidate) => candidate.label === label);
    if (module === undefined)
      return refusalOutcome(`The memory of ${agent.record.name} has no persona.`, "/memory shows its modules.");
    const starters = await runtime.starters.personas();
    if (argument === "") return showPersona(module.value, starters);
    const wanted = starters.find(({ name }) => name === argument.toLowerCase());
    const names = starters.map(({ name }) => name);
    if (wanted === undefined)
      return unknownName("There is no persona", argument, { names, advice: "/persona shows the personas." });
    if (wanted.text === module.value)
      return noteOutcome(`${agent.record.name} already has the persona ${wanted.name}.`);
    return changePersona(context, wanted, module.value);
  },
});

async function changePersona(
  { runtime, agent }: CommandContext,
  { name, text }: Starter,
  before: string,
): Promise<CommandOutcome> {
  const { value, limit } = await runtime.memory.set(agent.record.id, label, text);
  const edit: ViewItem = { kind: "memory-edit", label, before, after: value, limit };
  const note = noteOutcome(
    `${agent.record.name} has the persona ${name} from its next turn.`,
    "/undo persona undoes this; /memory history persona lists every edit.",
  );
  return { items: [edit, ...note.items] };
}

function showPersona(value: string, starters: readonly Starter[]): CommandOutcome {
  return {
    items: [
      panel([
        { indent: 0, spans: [span("The persona", "strong")] },
        { indent: 2, spans: [value === "" ? span("(empty)", "faint") : span(value)] },
        { indent: 0, spans: [span("Available personas", "strong")] },
      ]),
      rowPanel(starters.map((starter) => starterLine(starter, value))),
      notice("note", "/persona NAME replaces it by one of these; `palimpsest memory set persona TEXT` by any text."),
    ],
  };
}

function starterLine({ name, text }: Starter, value: string): Paragraph {
  const mark = text === value ? ", this one" : "";
  return {
    indent: 2,
    spans: [
      span(name, text === value ? "strong" : "plain"),
      span(`  ${codePointLength(text)} characters${mark}  ${text.replaceAll(/\s+/g, " ")}`, "faint"),
    ],
  };
}

/** Maximum length of a shown prompt, in code points. */
const maxShownLength = 8000;

export const systemSwapCommand = command({
  usage: "/systemswap [TEXT]",
  summary: "show or replace the system prompt; asks first",
  manual: "shows the system prompt, or replaces it: shows old and new, and asks",
  async run(context) {
    const { runtime, agent, argument } = context;
    const { systemPrompt, name } = await runtime.agents.find(agent.record.id);
    if (argument === "") return { items: [textPanel("The system prompt", systemPrompt)] };
    if (argument === systemPrompt) return noteOutcome(`${name} already has this system prompt.`);
    const shown = [textPanel("The system prompt now", systemPrompt), textPanel("The new system prompt", argument)];
    const isWanted = await context.open(
      questionDialog({ text: `Swap the system prompt of ${name}, in every conversation?`, items: shown }),
    );
    return isWanted === true ? swap(context, shown) : noteOutcome("Nothing was changed.");
  },
});

async function swap(context: CommandContext, shown: readonly ViewItem[]): Promise<CommandOutcome> {
  const { runtime, agent, argument } = context;
  const { id, name } = agent.record;
  await runtime.agents.setSystemPrompt(id, argument);
  const note = noteOutcome(`${name} has another system prompt from now on, in every conversation.`);
  // The old prompt is kept on the screen, because it is not stored anywhere.
  return { items: [...shown, ...note.items], effect: await reopenAgent(context) };
}

function textPanel(heading: string, text: string): ViewItem {
  const clipped = takeCodePoints(text, maxShownLength);
  const more = clipped.length < text.length ? [span(`… the first ${maxShownLength} characters`, "faint")] : [];
  return panel([
    { indent: 0, spans: [span(heading, "strong")] },
    { indent: 2, spans: [clipped === "" ? span("(empty)", "faint") : span(clipped)] },
    ...more.map((one) => ({ indent: 2, spans: [one] })),
  ]);
}
