// `/model [NAME]`: shows the agent's model, or changes it from the next turn on.
// Invariant: an unusable model is refused before anything changes; conversation and memory stay.
import { modelLabel } from "../rows/labels.ts";
import { type Command, noteOutcome } from "./command.ts";
import { reopenAgent } from "./reopen-agent.ts";

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
      const advice = "/model NAME changes it; `palimpsest models` lists the supported names and their requirements.";
      return noteOutcome(`${name} uses ${modelLabel(model, settings.baseUrl)}.`, advice);
    }
    const effect = await reopenAgent(context, { model: argument });
    const label = modelLabel(effect.agent.record.model, effect.agent.record.settings.baseUrl);
    return { ...noteOutcome(`${name} now uses ${label}, in every conversation.`), effect };
  },
};
