// A model whose first call is cut off, and is repeated.
import type { Model } from "../../src/model/llm/model.ts";
import { noUsage } from "../../src/base/message/message.ts";

/** Says the beginning of its answer twice, because its first call was cut off. */
export const repeating: Model = {
  name: "repeating",
  contextWindow: 100_000,
  async *stream() {
    yield { type: "text-delta", text: "Hal" };
    yield { type: "retry", attempt: 1, delayMs: 1, reason: "The connection broke." };
    for (const text of ["Hal", "lo."]) yield { type: "text-delta", text };
    yield { type: "end", stopReason: "end", usage: noUsage };
  },
};
