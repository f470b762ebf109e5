// `/model [NAME]`: changes the agent's model from the next turn on; without a name, lists models to choose from.
// Invariant: an unusable model is refused before anything changes; conversation and memory stay. A name without its
// provider means the one listed model of that name.
import { modelPicker } from "../dialogs/model-picker.ts";
import { modelLabel } from "../rows/labels.ts";
import { type Command, type CommandContext, type CommandOutcome, noteOutcome } from "./command.ts";
import { reopenAgent } from "./reopen-agent.ts";

interface Wanted {
  readonly model: string;
  readonly baseUrl?: string | null;
}

export const modelCommand: Command = {
  name: "model",
  usage: "/model [NAME]",
  summary: "choose which model answers, or name one",
  manual:
    "lists models of local servers and of providers with a key to choose the agent's model, or changes it to `NAME`",
  isAlwaysReady: false,
  async run(context) {
    const { agent, argument } = context;
    if (argument === "" && context.listModels !== undefined) return pick(context, context.listModels);
    if (argument === "" || argument === agent.record.model) return used(context);
    return change(context, (await listedByShortName(context, argument)) ?? { model: argument });
  },
};

/** Returns the listed model `…/NAME` with its address; undefined if none or several have that name. */
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
  // Not those of other users: a key would be sent to the address of a model that is chosen.
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
