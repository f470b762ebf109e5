// What thoughts change in a request: their tokens are added to those of the answer, because the providers limit both
// together, and a model may refuse a temperature, which is said once.
// Invariant: with an agent's default limit, the sum is accepted by every model that thinks.
import type { Effort } from "../model.ts";

/** OpenAI recommends at least 25,000 tokens for thoughts and answer ("Reasoning models"), which the highest number leaves. */
export const thinkingTokens: Readonly<Record<Effort, number>> = { off: 0, low: 8192, medium: 16_384, high: 24_576 };

/** The lowest maximum of a reply among the models that think: Claude Opus 4 and 4.1. */
const lowestMaximum = 32_000;

/** Returns the limit of answer and thoughts together; an answer that was given more than the lowest maximum keeps it. */
export function limitWithThoughts(answer: number, thoughts: number): number {
  return Math.max(answer, Math.min(answer + thoughts, lowestMaximum));
}

/** Returns a function that compares a temperature that was asked for with the body that is sent. */
export function createTemperatureNote(
  name: string,
  log: (line: string) => void,
): (asked: number, body: { readonly temperature?: unknown }) => void {
  let isSaid = false;
  return (asked, body) => {
    if (isSaid || body.temperature !== undefined) return;
    isSaid = true;
    log(`${name} refuses a temperature, at least with this effort: ${asked} is not sent.`);
  };
}
