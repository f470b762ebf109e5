// The smallest call that shows whether a model can be used: a request for one word, with a tool as agents send them.
// Invariant: any reply is accepted; only a call that cannot be made or read fails.
import type { Model } from "../../../model/llm/model.ts";

// Enough for a model that thinks before it answers.
const replyTokens = 256;

/** Resolves when the model's reply is complete, whatever its content. Throws ConfigError or ModelError. */
export async function callOnce(model: Model, signal: AbortSignal | undefined): Promise<void> {
  const request = {
    system: { instructions: "Answer with one word.", memory: "" },
    messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "Hello" }] }],
    // Includes a tool, because an agent needs tools and some servers have models without them.
    tools: [
      {
        name: "note",
        description: "Not needed now.",
        parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
      },
    ],
    maxOutputTokens: replyTokens,
  };
  for await (const _event of model.stream(request, signal === undefined ? {} : { signal }));
}
