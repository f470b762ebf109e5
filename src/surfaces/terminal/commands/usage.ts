// `/usage`: shows the tokens of the conversation's model calls by model, and their cost where prices are known.
// Invariant: only the price of the agent's model is known; no cost is shown for other models.
import { addUsage, dollarsOf, noUsage, type Usage } from "../../../base/message/message.ts";
import { cachedPercent, numberText } from "../../../base/window-words.ts";
import { countLabel, dollarsLabel } from "../rows/labels.ts";
import { span } from "../rows/row.ts";
import type { Agent, LoggedStep } from "../runtime-records.ts";
import type { Paragraph } from "../view/view-item.ts";
import { type Command, noteOutcome, refusalOutcome } from "./command.ts";

/** Maximum number of calls, newest first, in the sums. */
const maxCalls = 1000;

export const usageCommand: Command = {
  name: "usage",
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
    return {
      items: [
        {
          kind: "panel",
          paragraphs: [
            { indent: 0, spans: [span(heading, "strong")] },
            ...[...new Set(steps.map(({ model }) => model))].map((model) =>
              total(
                model,
                steps.filter((step) => step.model === model),
                agent,
              ),
            ),
            total("last turn", last, agent),
            ...last.toReversed().map(({ number, usage }) => line(4, `call ${number}`, inputOf(usage))),
          ],
        },
      ],
    };
  },
};

/** `openai/gpt-5  12 calls, 23,940 in (18,000 cached, 75%), 812 out, $0.0431`. */
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

/** `2,452 in (1,000 cached, 41%)`, of one call with the reason of a cache miss. */
function inputOf({ cacheMiss, ...usage }: Usage): string {
  const cached = `${numberText(usage.cachedInputTokens)} cached, ${cachedPercent(usage)}%`;
  return `${numberText(usage.inputTokens)} in (${cached}${cacheMiss === undefined ? "" : `: ${cacheMiss}`})`;
}

function line(indent: number, name: string, text: string): Paragraph {
  return { indent, lead: [span(`${name}  `)], spans: [span(text, "faint")] };
}
