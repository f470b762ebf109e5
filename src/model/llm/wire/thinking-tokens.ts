// The tokens of thoughts that are added to the tokens of an answer, because the providers limit both together.
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
