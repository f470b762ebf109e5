// Asks a model which facts a user stated. The model answers with structured output if it supports this, otherwise
// with a forced tool call, whose arguments a grammar restricts if the model is local.
// Invariant: the facts are as the model wrote them; the caller checks whether the user stated them. An answer without facts
// is an empty list.
import type { Model, ModelRequest } from "../model/llm/model.ts";
import { type JsonObject, parseObject } from "../base/json-values.ts";
import type { Usage } from "../base/message/message.ts";
import { loadPrompt } from "./prompts/load-prompt.ts";
import { outermostObject, readAnswer } from "./read-answer.ts";

/** Maximum facts of one message. */
const maxFacts = 5;
const maxOutputTokens = 256;

const saveFacts = {
  name: "save_facts",
  description: "Save the facts that the user stated.",
  parameters: {
    type: "object",
    properties: {
      facts: {
        type: "array",
        description: "One short sentence per fact; empty if there is none.",
        items: { type: "string" },
        maxItems: maxFacts,
      },
    },
    required: ["facts"],
    additionalProperties: false,
  },
} as const;

/** Returns the request. It does not show facts that are already known, because a small model would repeat these. */
export function factsRequest(model: Pick<Model, "hasStructuredOutput">, said: string): ModelRequest {
  const { name, parameters: schema } = saveFacts;
  const text = `The user said: ${JSON.stringify(said)}`;
  return {
    system: { instructions: loadPrompt("extract-facts"), memory: "" },
    messages: [{ role: "user", content: [{ type: "text", text }] }],
    ...(model.hasStructuredOutput === true
      ? { tools: [], output: { name, schema } }
      : { tools: [saveFacts], toolChoice: "required" as const }),
    maxOutputTokens,
  };
}

export interface FactsAnswer {
  readonly facts: readonly string[];
  /** Whether the answer ended at its maximum of tokens before a fact was complete, for example in a thought. */
  readonly isCut: boolean;
  readonly usage: Usage;
}

/** Returns the facts that the model lists. Throws ModelError, and the signal's reason. */
export async function askForFacts(model: Model, request: ModelRequest, signal: AbortSignal): Promise<FactsAnswer> {
  const { text, stopReason, usage } = await readAnswer(model, request, signal);
  const answer = parseObject(outermostObject(text));
  return { facts: factsIn(answer), isCut: stopReason === "length" && answer === undefined, usage };
}

function factsIn({ facts = [] }: JsonObject = {}): readonly string[] {
  const list: readonly unknown[] = Array.isArray(facts) ? facts : [facts];
  return list.filter((fact) => typeof fact === "string").slice(0, maxFacts);
}
