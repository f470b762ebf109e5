// `/model [NAME]`: says which model answers, or has another one answer from the next turn on.
// Invariant: a model that cannot be used is refused before anything is changed; conversation and memory stay.
import { modelLabel } from "../rows/labels.ts";
import { type Command, noteOutcome } from "./command.ts";
import { openAgain } from "./open-again.ts";

export const modelCommand: Command = {
  name: "model",
  usage: "/model [NAME]",
  summary: "show which model answers, or change it for this agent",
  manual: "shows the agent's model, or changes it",
  isAlwaysReady: false,
  async run(context) {
    const { agent, argument } = context;
    const { name, model, settings } = agent.record;
    if (argument === "" || argument === model) {
      const advice = "/model NAME changes it; palimpsest models says what can be named, and what each needs.";
      return noteOutcome(`${name} answers by ${modelLabel(model, settings.baseUrl)}.`, advice);
    }
    const effect = await openAgain(context, { model: argument });
    const label = modelLabel(effect.agent.record.model, effect.agent.record.settings.baseUrl);
    return { ...noteOutcome(`${name} answers by ${label} from now on, in every conversation.`), effect };
  },
};
