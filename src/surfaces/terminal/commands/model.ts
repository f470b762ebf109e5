// `/model [NAME]`: changes the agent's model from the next turn on; without a name, lists models to choose from.
// Invariant: an unusable model is refused before anything changes; conversation and memory stay. A name without a provider is
// that of the only listed model with this name.
import type { ModelOffer, ModelOffers } from "../chat-host.ts";
import { acceptByEnter, choiceList, type Choices } from "../dialogs/choice-list.ts";
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
  // Models of other users' agents are not offered: choosing one would send a key to its address.
  const own = others.filter(({ ownerId }) => ownerId === runtime.userId);
  const known = own.map((other) => ({
    model: other.model,
    baseUrl: other.settings.baseUrl,
    about: `used by ${other.name}`,
  }));
  const current = { model, baseUrl: settings.baseUrl };
  const offers = [...listed.offers, ...known];
  const chosen = await context.open(modelPicker({ agentName: name, current, offers, notes: listed.notes }));
  if (chosen === null) return { items: [] };
  if (chosen.model === model && chosen.baseUrl === settings.baseUrl) return used(context);
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

interface PickableModels extends ModelOffers {
  readonly agentName: string;
  /** The agent's current model. */
  readonly current: Pick<ModelOffer, "model" | "baseUrl">;
}

/** Returns a read-only dialog whose result is the chosen model. Each model is listed once, the agent's current one first. */
function modelPicker({ agentName, current, offers, notes }: PickableModels): Dialog<ModelOffer> {
  const isUsed = ({ model, baseUrl }: ModelOffer): boolean => model === current.model && baseUrl === current.baseUrl;
  const used = offers.find(isUsed) ?? { ...current, about: "" };
  const items = distinct([used, ...offers]);
  const choices: Choices<ModelOffer> = {
    title: `Models for ${agentName}`,
    items,
    keys: ["Enter use"],
    accept: acceptByEnter,
    notes: [...notes, "/model NAME also takes a name that is not listed."],
    textOf: ({ model, baseUrl, about }) => `${model} ${baseUrl ?? ""} ${about}`,
    rowOf: (offer, { isChosen }) => {
      const facts = [offer.about, offer.baseUrl ?? "", offer === used ? "in use" : ""].filter((text) => text !== "");
      return [
        span(screenText(offer.model), isChosen ? "strong" : "plain"),
        span(`  ${screenText(facts.join(", "))}`, "faint"),
      ];
    },
  };
  return choiceList(choices);
}

/** Returns the offers without repeated pairs of model and address. */
function distinct(offers: readonly ModelOffer[]): readonly ModelOffer[] {
  const seen = new Map<string, ModelOffer>();
  for (const offer of offers) {
    const key = `${offer.model} ${offer.baseUrl ?? ""}`;
    if (!seen.has(key)) seen.set(key, offer);
  }
  return [...seen.values()];
}
