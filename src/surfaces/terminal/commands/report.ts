// Defines the slash commands that show a report of the window, the used tokens, or the stored messages.
import { fileLabel } from "../../../base/message/file-part.ts";
import { addUsage, type ContentPart, dollarsOf, noUsage, type Usage } from "../../../base/message/message.ts";
import { cachedPercent, numberText } from "../../../base/window-words.ts";
import { countLabel, dollarsLabel, shortened } from "../rows/labels.ts";
import { span } from "../rows/row.ts";
import { screenText } from "../rows/wrap.ts";
import type { Agent, LoggedStep, StoredMessage } from "../runtime-records.ts";
import { panel } from "../view/notices.ts";
import type { Paragraph } from "../view/view-item.ts";
import { command, noteOutcome, refusalOutcome } from "./command.ts";

const shownSteps = 40;

export const contextCommand = command({
  usage: "/context",
  summary: "show what is in the window, and what was left out",
  manual: "shows the content of the window by tier: [context.md](context.md)",
  isAlwaysReady: true,
  async run({ agent, argument }) {
    if (argument !== "")
      return refusalOutcome("/context takes no argument.", "`palimpsest context --step N` shows earlier steps.");
    const steps = await agent.steps(shownSteps);
    const { report } = agent.context();
    if (report.window === 0) return noteOutcome("The model has no window.");
    return { items: [{ kind: "window", report, steps }] };
  },
});

/** Maximum number of model calls, counted from the newest, that `/usage` adds up. */
const maxCalls = 1000;

// The cost of calls of other models is shown as unknown, because only the price of the agent's current model is known.
export const usageCommand = command({
  usage: "/usage",
  summary: "show tokens and cost of this conversation",
  manual: "shows the conversation's tokens by model, and their cost where prices are known",
  isAlwaysReady: true,
  async run({ agent, argument }) {
    if (argument !== "") return refusalOutcome("/usage takes no argument.", "`palimpsest config show` has the prices.");
    const steps = await agent.steps(maxCalls);
    const [newest] = steps;
    if (newest === undefined) return noteOutcome("No model was called in this conversation yet.");
    const last = steps.filter(({ turnId }) => turnId === newest.turnId);
    const older = newest.ordinal > steps.length ? `, the newest of ${newest.ordinal}` : "";
    const { listedAt } = agent.price ?? {};
    const listed = listedAt === undefined ? "" : `; list price of ${listedAt}`;
    const heading = `${countLabel(steps.length, "model call")}${older}${listed}`;
    const models = [...new Set(steps.map(({ model }) => model))];
    const paragraphs = [
      { indent: 0, spans: [span(heading, "strong")] },
      ...models.map((model) =>
        total(
          model,
          steps.filter((step) => step.model === model),
          agent,
        ),
      ),
      total("last turn", last, agent),
      ...last.toReversed().map(({ number, usage }) => line(4, `call ${number}`, inputOf(usage))),
    ];
    return { items: [panel(paragraphs)] };
  },
});

/** Returns `openai/gpt-5  12 calls, 23,940 in (18,000 cached, 75%), 812 out, $0.0431`. */
function total(name: string, steps: readonly LoggedStep[], agent: Agent): Paragraph {
  const usage = steps.map((step) => step.usage).reduce(addUsage, noUsage);
  const price = steps.every(({ model }) => model === agent.record.model) ? agent.price : null;
  const cost = price === null ? ", cost not known" : `, ${dollarsLabel(dollarsOf(usage, price))}`;
  const { droppedThoughts = 0 } = usage;
  const dropped = droppedThoughts === 0 ? "" : `, ${countLabel(droppedThoughts, "thought")} not accepted`;
  const out = `${numberText(usage.outputTokens)} out`;
  const { cacheMiss: _, ...sum } = usage;
  return line(2, name, `${countLabel(steps.length, "call")}, ${inputOf(sum)}, ${out}${cost}${dropped}`);
}

/** Returns `2,452 in (1,000 cached, 41%)`; for one call, with the reason of a cache miss. */
function inputOf({ cacheMiss, ...usage }: Usage): string {
  const cached = `${numberText(usage.cachedInputTokens)} cached, ${cachedPercent(usage)}%`;
  return `${numberText(usage.inputTokens)} in (${cached}${cacheMiss === undefined ? "" : `: ${cacheMiss}`})`;
}

function line(indent: number, name: string, text: string): Paragraph {
  return { indent, lead: [span(`${name}  `)], spans: [span(text, "faint")] };
}

/** A longer part of a message is cut to this length, in UTF-16 units. */
const maxPartLength = 2000;

// The messages are numbered from the end, so that a number can be used with `/pop`.
export const dumpCommand = command({
  usage: "/dump [N]",
  summary: "show the last N messages in the window, or all of them",
  manual: "shows the last N messages of the window, or all",
  isAlwaysReady: true,
  async run({ agent, argument }) {
    if (!/^\d{0,9}$/u.test(argument))
      return refusalOutcome(`Expected a number of messages, got "${argument.slice(0, 40)}".`, "/dump alone shows all.");
    const wanted = Number(argument);
    const { messages } = agent;
    if (messages.length === 0) return noteOutcome("There is no message in the window.");
    const shown = wanted === 0 ? messages : messages.slice(-wanted);
    return { items: [panel(shown.flatMap((message, place) => paragraphsOf(message, shown.length - place)))] };
  },
});

function paragraphsOf(message: StoredMessage, number: number): readonly Paragraph[] {
  const { role, kind, speaker, status, content } = message;
  const who = kind !== "message" ? kind : (speaker ?? role);
  const mark = status === "interrupted" ? ", interrupted" : "";
  return [
    { indent: 0, spans: [span(`${number}  `, "strong"), span(`${screenText(who)}${mark}`, "faint")] },
    ...content.map((part): Paragraph => ({ indent: 2, spans: [span(shortened(partText(part), maxPartLength))] })),
  ];
}

function partText(part: ContentPart): string {
  switch (part.type) {
    case "text":
    case "state":
      return part.text;
    case "thought":
      return `(thought) ${part.text}`;
    case "file":
      return fileLabel(part);
    case "tool-call":
      return `→ ${part.name} ${part.arguments}`;
    case "tool-result":
      return `← ${part.name}, ${part.status}: ${part.text}`;
  }
}
