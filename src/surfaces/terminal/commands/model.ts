// `/model [NAME]`: changes the agent's model from the next turn on; without a name, lists models to choose from.
// Invariant: an unusable model is refused before anything changes; conversation and memory stay. A name without a
// provider means the listed model with this name, if there is only one.
import type { ModelOffer } from "../chat-host.ts";
import { acceptByEnter, choiceList } from "../dialogs/choice-list.ts";
import type { Dialog } from "../dialogs/dialog.ts";
import { modelLabel } from "../rows/labels.ts";
import { span } from "../rows/row.ts";
import { screenText } from "../rows/wrap.ts";
import { command, type CommandContext, type CommandOutcome, noteOutcome, reopenAgent } from "./command.ts";

interface Wanted {
  readonly model: string;
  readonly baseUrl?: string | null;
}

export const modelCommand = command({
  usage: "/model [NAME]",
  summary: "choose which model answers, or name one",
  manual:
    "lists models of local servers and of providers with a key to choose the agent's model, or changes it to `NAME`",
  async run(context) {
    const { agent, argument } = context;
    if (argument === "" && context.listModels !== undefined) return pick(context, context.listModels);
    if (argument === "" || argument === agent.record.model) return used(context);
    return change(context, (await listedByShortName(context, argument)) ?? { model: argument });
  },
});

/** Returns the listed model `…/NAME` with its address; undefined if no model or several models have that name. */
async function listedByShortName({ listModels, signal }: CommandContext, name: string): Promise<Wanted | undefined> {
  if (listModels === undefined || name.includes("/")) return undefined;
  const { offers } = await listModels(signal);
  const [offer, ...others] = offers.filter(({ model }) => model.endsWith(`/${name}`));
  return offer === undefined || others.length > 0 ? undefined : { model: offer.model, baseUrl: offer.baseUrl };
}

async function pick(
  context: CommandContext,
  listModels: NonNullable<CommandContext["listModels"]>,
): Promise<CommandOutcome> {
  const { runtime, agent, signal } = context;
  const { name, model, settings } = agent.record;
  const [others, listed] = await Promise.all([runtime.agents.list(), listModels(signal)]);
  // Models of other users' agents are not offered: choosing such a model would send a key to its address.
  const own = others.filter(({ ownerId }) => ownerId === runtime.userId);
  const known = own.map((other) => ({
    model: other.model,
    baseUrl: other.settings.baseUrl,
    about: `used by ${other.name}`,
  }));
  const current = { model, baseUrl: settings.baseUrl, about: "" };
  const offers = [...listed.offers, ...known];
  const inUse = offers.find((offer) => isSame(offer, current)) ?? current;
  const distinct = [inUse, ...offers].filter((offer, at, all) => all.findIndex((one) => isSame(one, offer)) === at);
  const chosen = await context.open(modelPicker(name, distinct, listed.notes));
  if (chosen === null) return { items: [] };
  if (isSame(chosen, current)) return used(context);
  return change(context, { model: chosen.model, baseUrl: chosen.baseUrl });
}

function used({ agent }: CommandContext): CommandOutcome {
  const { name, model, settings } = agent.record;
  const advice = "/model NAME changes it; `palimpsest models` lists the supported names and their requirements.";
  return noteOutcome(`${name} uses ${modelLabel(model, settings.baseUrl)}.`, advice);
}

async function change(context: CommandContext, wanted: Wanted): Promise<CommandOutcome> {
  const effect = await reopenAgent(context, wanted);
  const { name, model, settings } = effect.agent.record;
  return { ...noteOutcome(`${name} now uses ${modelLabel(model, settings.baseUrl)}, in every conversation.`), effect };
}

function isSame(one: ModelOffer, other: ModelOffer): boolean {
  return one.model === other.model && one.baseUrl === other.baseUrl;
}

/** Returns a read-only dialog with the chosen model as its result. The first item is the agent's current model. */
function modelPicker(agentName: string, items: readonly ModelOffer[], notes: readonly string[]): Dialog<ModelOffer> {
  return choiceList<ModelOffer, ModelOffer>({
    title: `Models for ${agentName}`,
    items,
    keys: ["Enter use"],
    accept: acceptByEnter,
    notes: [...notes, "/model NAME also takes a name that is not listed."],
    textOf: ({ model, baseUrl, about }) => `${model} ${baseUrl ?? ""} ${about}`,
    rowOf: (offer, { isChosen }) => {
      const facts = [offer.about, offer.baseUrl ?? "", offer === items[0] ? "in use" : ""].filter(
        (text) => text !== "",
      );
      return [
        span(screenText(offer.model), isChosen ? "strong" : "plain"),
        span(`  ${screenText(facts.join(", "))}`, "faint"),
      ];
    },
  });
}
