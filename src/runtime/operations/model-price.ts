// Returns the price of a model: the configured one, or the provider's list price.
// Invariant: no price is guessed: a model that neither the configuration nor the list names has none.
import type { ModelPrice } from "../../base/message/message.ts";
import { listPriceOf } from "./list-prices.ts";

/** Prices by model name, or by a prefix of names followed by `*`: `anthropic/claude-*`. */
export type PriceTable = Readonly<Record<string, ModelPrice>>;

/** The price of a model that runs on this machine. */
const free: ModelPrice = { input: 0, cachedInput: 0, output: 0 };

/** Returns the configured price of the exact name or of the longest matching prefix, else the list price; null for none. */
export function priceOf(model: string, prices: PriceTable): ModelPrice | null {
  const exact = Object.hasOwn(prices, model) ? prices[model] : undefined;
  if (exact !== undefined) return exact;
  const [family] = Object.entries(prices)
    .filter(([name]) => name.endsWith("*") && model.startsWith(name.slice(0, -1)))
    .toSorted(([one], [other]) => other.length - one.length);
  if (family !== undefined) return family[1];
  return model === "demo" || model.startsWith("gguf/") ? free : listPriceOf(model);
}
