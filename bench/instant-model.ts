// A model that answers at once, so that a turn's time is the runtime's own.
import type { Model, ModelEvent, ModelRequest } from "../src/model/llm/model.ts";

// As providers report it. The window of the seeded conversations is far below the model's.
const usage = { inputTokens: 2400, outputTokens: 12, cachedInputTokens: 2300 };

export interface InstantModel extends Model {
  /** One call, without a runtime around it. */
  callBare(): Promise<void>;
}

/** Answers with a line of text; as `tool`, with one memory edit first. */
export function createInstantModel(kind: "text" | "tool"): InstantModel {
  let calls = 0;
  async function* stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    if (kind === "tool" && request.messages.at(-1)?.role === "user") {
      calls += 1;
      const edit = JSON.stringify({ name: "human", content: "likes sailing" });
      yield { type: "tool-call", callId: `call_${calls}`, name: "core_memory_append", arguments: edit };
      yield { type: "end", stopReason: "tool-calls", usage };
      return;
    }
    yield { type: "text-delta", text: "Clear, with a light breeze from the west." };
    yield { type: "end", stopReason: "end", usage };
  }
  return {
    name: `instant-${kind}`,
    contextWindow: 1_000_000,
    stream,
    async callBare() {
      const request = { system: { instructions: "", memory: "" }, messages: [], tools: [], maxOutputTokens: 1 };
      for await (const event of stream(request)) if (event.type === "end") return;
    },
  };
}
