// Adapts a request to thinking. The token limit is raised by the tokens of thoughts, because the providers limit answer and
// thoughts together. If a model refuses a temperature, this is logged once.
// Invariant: every model that thinks accepts the raised limit if the agent has the default limit.
import type { Effort } from "../model.ts";

/**
 * Tokens for thoughts. With `high`, thoughts and answer together have the minimum of 25,000 tokens that OpenAI
 * recommends ("Reasoning models").
 */
export const thinkingTokens: Readonly<Record<Effort, number>> = { off: 0, low: 8192, medium: 16_384, high: 24_576 };

/** The smallest maximum of reply tokens among the models that think (Claude Opus 4 and 4.1). */
const lowestMaximum = 32_000;

/** Returns the limit of answer and thoughts together: at most `lowestMaximum`, unless the answer's limit is higher. */
export function limitWithThoughts(answer: number, thoughts: number): number {
  return Math.max(answer, Math.min(answer + thoughts, lowestMaximum));
}

/** Returns a function that logs, once, that a requested temperature is not in the body that is sent. */
export function createTemperatureNote(
  name: string,
  log: (line: string) => void,
): (asked: number, body: { readonly temperature?: unknown }) => void {
  let isSaid = false;
  return (asked, body) => {
    if (isSaid || body.temperature !== undefined) return;
    isSaid = true;
    log(`${name} accepts no temperature, at least with this effort, so the temperature ${asked} is not sent.`);
  };
}
