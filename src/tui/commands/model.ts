// `/model [NAME]`: says which model answers, or has another one answer from the next turn on.
// Invariant: a model that cannot be used is refused before anything is changed; conversation and memory stay.
import { modelLabel } from "../labels.ts";
import { type Command, noteOutcome } from "./command.ts";

export const modelCommand: Command = {
  name: "model",
  usage: "/model [NAME]",
  summary: "say which model answers, or change it for this agent",
  isAlwaysReady: false,
  async run({ runtime, agent, argument }) {
    const { id, name, model } = agent.record;
    if (argument === "" || argument === model) {
      const advice = "/model NAME changes it; palimpsest models says what can be named, and what each needs.";
      return noteOutcome(`${name} answers by ${modelLabel(model)}.`, advice);
    }
    const opened = await runtime.agents.open(id, { conversation: { id: agent.conversationId }, model: argument });
    return {
      ...noteOutcome(`${name} answers by ${modelLabel(opened.record.model)} from now on, in every conversation.`),
      effect: { type: "open", agent: opened },
    };
  },
};
