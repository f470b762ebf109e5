// A model that adds an agent's settings to each request: to its replies, summaries and everything else that it is asked.
import type { Effort, Model } from "./model.ts";
import { withStream } from "./with-stream.ts";

/** The settings of an agent that belong into a request; null: the provider's default. */
export interface RequestSettings {
  readonly effort: Effort | null;
  readonly temperature: number | null;
}

export function withRequestSettings(model: Model, { effort, temperature }: RequestSettings): Model {
  const settings = { ...(effort === null ? {} : { effort }), ...(temperature === null ? {} : { temperature }) };
  return withStream(model, (request, options) => model.stream({ ...settings, ...request }, options));
}
