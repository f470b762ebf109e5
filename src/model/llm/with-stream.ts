// Wraps a model with another `stream` function, for example one that adds an agent's settings to each request.
// Invariant: all other properties are the model's own, and stay current if they change later, as the window does.
import type { Effort, Model } from "./model.ts";

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

/** The settings of an agent that are part of a request; null: the provider's default. */
interface RequestSettings {
  readonly effort: Effort | null;
  readonly temperature: number | null;
}

export function withRequestSettings(model: Model, { effort, temperature }: RequestSettings): Model {
  const settings = { ...(effort === null ? {} : { effort }), ...(temperature === null ? {} : { temperature }) };
  return withStream(model, (request, options) => model.stream({ ...settings, ...request }, options));
}
