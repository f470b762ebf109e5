// What a model costs, from the prices that were configured.
// Invariant: nothing is guessed: a model without a price of its own or of its family has none.
import type { ModelPrice } from "../message/message.ts";

/** Prices by a model's name, or by the beginning of names with a `*` after it: `anthropic/claude-*`. */
export type PriceTable = Readonly<Record<string, ModelPrice>>;

/** Runs here and costs nothing. */
const free: ModelPrice = { input: 0, cachedInput: 0, output: 0 };

/** The price of the exact name, else of the longest family that it belongs to; null when there is none. */
export function priceOf(model: string, prices: PriceTable): ModelPrice | null {
  const exact = Object.hasOwn(prices, model) ? prices[model] : undefined;
  if (exact !== undefined) return exact;
  const [family] = Object.entries(prices)
    .filter(([name]) => name.endsWith("*") && model.startsWith(name.slice(0, -1)))
    .toSorted(([one], [other]) => other.length - one.length);
  if (family !== undefined) return family[1];
  return model === "demo" || model.startsWith("gguf/") ? free : null;
}
