// A model that answers by another function.
// Invariant: everything else is the model's own, also what changes later, such as its window.
import type { Model } from "./model.ts";

export function withStream(model: Model, stream: Model["stream"]): Model {
  return {
    name: model.name,
    get contextWindow() {
      return model.contextWindow;
    },
    get windowFrom() {
      return model.windowFrom ?? "model";
    },
    hasStructuredOutput: model.hasStructuredOutput ?? false,
    prepare: async (signal) => model.prepare?.(signal),
    ...(model.close === undefined ? {} : { close: async () => model.close?.() }),
    stream,
  };
}
