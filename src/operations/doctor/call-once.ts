// The smallest call that shows whether a model can be used here: a word asked, with a tool at hand as agents have them.
// Invariant: whatever the model replies is well; only a call that cannot be made or read is not.
import type { Model } from "../../llm/model.ts";

// Enough for a model that thinks before it says a word.
const replyTokens = 256;

/** Ends when the model has ended its reply, whatever that says. Throws ConfigError and ModelError. */
export async function callOnce(model: Model, signal: AbortSignal | undefined): Promise<void> {
  const request = {
    system: { instructions: "Answer with one word.", memory: "" },
    messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "Hello" }] }],
    // Some servers have models that take no tools at all: an agent needs them.
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
