// Returns the price of a model: the configured one, or the provider's list price. List prices of the current models are from
// platform.claude.com/docs/en/about-claude/pricing and developers.openai.com/api/docs/pricing.
// Invariant: a price that is neither configured nor listed is not guessed: the model has none. A list price applies to every
// request within the provider's `defaultWindow`. So a model whose price changes with the length of such a request is not
// listed (Haiku 5.5).
import type { ModelPrice } from "../../base/message/message.ts";

/** Prices by model name, or by a prefix of names followed by `*`: `anthropic/claude-*`. */
export type PriceTable = Readonly<Record<string, ModelPrice>>;

/** The price of a model that runs on this machine. */
const free: ModelPrice = { input: 0, cachedInput: 0, output: 0 };

/** Returns the configured price of the exact name or of the longest matching prefix, else the list price, else null. */
export function priceOf(model: string, prices: PriceTable): ModelPrice | null {
  const exact = Object.hasOwn(prices, model) ? prices[model] : undefined;
  if (exact !== undefined) return exact;
  const [family] = Object.entries(prices)
    .filter(([name]) => name.endsWith("*") && model.startsWith(name.slice(0, -1)))
    .toSorted(([one], [other]) => other.length - one.length);
  if (family !== undefined) return family[1];
  return model === "demo" || model.startsWith("gguf/") ? free : listPriceOf(model);
}

/** The day on which the list prices were read. */
const readAt = "2026-11-27";

/** Dollars per million tokens of input, cached input and output. */
type Row = readonly [input: number, cachedInput: number, output: number];

const rows: Readonly<Record<string, Row>> = {
  "anthropic/claude-fable-5-1": [10, 0.25, 50],
  "anthropic/claude-fable-5": [10, 1, 50],
  "anthropic/claude-mythos-5-1": [10, 0.25, 50],
  "anthropic/claude-mythos-5": [10, 1, 50],
  "anthropic/claude-opus-5-5": [4, 0.2, 20],
  "anthropic/claude-opus-5": [5, 0.5, 25],
  "anthropic/claude-opus-4-8": [5, 0.5, 25],
  "anthropic/claude-opus-4-7": [5, 0.5, 25],
  "anthropic/claude-opus-4-6": [5, 0.5, 25],
  "anthropic/claude-opus-4-5": [5, 0.5, 25],
  "anthropic/claude-sonnet-5-5": [2, 0.1, 10],
  "anthropic/claude-sonnet-5": [2, 0.2, 10],
  "anthropic/claude-sonnet-4-6": [3, 0.3, 15],
  "anthropic/claude-sonnet-4-5": [3, 0.3, 15],
  "anthropic/claude-haiku-4-5": [1, 0.1, 5],
  "openai/gpt-6.2-sol": [2, 0.1, 10],
  "openai/gpt-6.1-sol": [2, 0.1, 10],
  "openai/gpt-6-sol": [2, 0.2, 10],
  "openai/gpt-6-luna": [0.1, 0.01, 0.5],
  "openai/gpt-5.6-luna": [0.2, 0.02, 1.2],
  "openai/gpt-5.5": [5, 0.5, 30],
  "openai/gpt-5.4": [2.5, 0.25, 15],
  "openai/gpt-5.4-mini": [0.75, 0.075, 4.5],
  "openai/gpt-5.4-nano": [0.2, 0.02, 1.25],
  "openai/gpt-5.1": [1.25, 0.125, 10],
  "openai/gpt-5": [1.25, 0.125, 10],
  "openai/gpt-5-mini": [0.25, 0.025, 2],
  "openai/gpt-5-nano": [0.05, 0.005, 0.4],
  "openai/gpt-4.1": [2, 0.5, 8],
  "openai/gpt-4.1-mini": [0.4, 0.1, 1.6],
  "openai/gpt-4.1-nano": [0.1, 0.025, 0.4],
  "openai/gpt-4o": [2.5, 1.25, 10],
  "openai/gpt-4o-mini": [0.15, 0.075, 0.6],
};

/** The date that providers append to the name of a version: `-20250929`, `-2025-08-07`. */
const versionDate = /-(?:\d{8}|\d{4}-\d{2}-\d{2})$/u;

/** Returns the list price of a model; null for a model that is not listed. */
function listPriceOf(model: string): ModelPrice | null {
  const name = model.replace(versionDate, "");
  const row = Object.hasOwn(rows, name) ? rows[name] : undefined;
  if (row === undefined) return null;
  const [input, cachedInput, output] = row;
  return { input, cachedInput, output, listedAt: readAt };
}
