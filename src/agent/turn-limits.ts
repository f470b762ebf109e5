// Computes the limits of a turn (model calls, tokens and money), and whether they are used up.
// Invariant: pure; a budget in money always contains the price by which it is computed.
import { ConfigError, RequestError } from "../base/errors.ts";
import { dollarsOf, type ModelPrice, type Usage } from "../base/message/message.ts";
import type { AgentRecord } from "../store/port/records.ts";
import type { SendOptions } from "./turn-options.ts";

export interface TurnLimits {
  /** Null: no limit. */
  readonly budget: TurnBudget | null;
  /** Maximum model calls in the turn. */
  readonly maxSteps: number;
}

export interface TurnBudget {
  /** Input and output tokens of all model calls together; null: no limit. */
  readonly tokens: number | null;
  readonly money: { readonly dollars: number; readonly price: ModelPrice } | null;
}

/**
 * Returns the caller's limits, with the agent's as defaults. `price`: the price of the model that answers. Throws
 * RequestError `input_invalid`, and ConfigError for a limit in dollars without a price.
 */
export function turnLimits(
  agent: Pick<AgentRecord, "settings" | "model">,
  price: ModelPrice | null,
  { budget, maxSteps }: Pick<SendOptions, "budget" | "maxSteps"> = {},
): TurnLimits {
  const { settings } = agent;
  const isLimited = budget !== undefined || settings.maxTurnTokens !== null || settings.maxTurnDollars !== null;
  return {
    budget: isLimited ? turnBudget(agent, price, budget) : null,
    maxSteps: maxSteps === undefined ? settings.maxSteps : wholeSteps(maxSteps),
  };
}

function turnBudget(
  { settings, model }: Pick<AgentRecord, "settings" | "model">,
  price: ModelPrice | null,
  request: SendOptions["budget"] = {},
): TurnBudget {
  const tokens = request.tokens === undefined ? settings.maxTurnTokens : requirePositive("tokens", request.tokens);
  const dollars = request.dollars === undefined ? settings.maxTurnDollars : requirePositive("dollars", request.dollars);
  if (dollars === null) return { tokens, money: null };
  if (price === null) throw priceMissing(model);
  return { tokens, money: { dollars, price } };
}

function wholeSteps(request: number): number {
  if (Number.isSafeInteger(request) && request >= 1) return request;
  throw new RequestError(
    "input_invalid",
    `Expected a whole number of model calls for a turn, 1 or more, got ${request}. Nothing was written.`,
  );
}

/**
 * Returns, as text for people, why no further model call is allowed; null if one is allowed. `ahead`: the input tokens
 * of the next call. They count at the price of cached tokens, the lowest, so that a call is refused only if it is
 * certain to exceed the budget.
 */
export function budgetRefusal({ budget }: TurnLimits, usage: Usage, ahead: number): string | null {
  if (budget === null) return null;
  const { tokens, money } = budget;
  const used = usage.inputTokens + usage.outputTokens;
  if (tokens !== null && isOver(used, used + ahead, tokens)) {
    return `The turn may use ${tokens} tokens: it has used ${used}${aheadText(ahead, `${ahead} tokens`)}.`;
  }
  if (money === null) return null;
  const { dollars, price } = money;
  const spent = dollarsOf(usage, price);
  const next = dollarsOf({ inputTokens: ahead, cachedInputTokens: ahead, outputTokens: 0 }, price);
  if (!isOver(spent, spent + next, dollars)) return null;
  return `The turn may cost $${dollars}: it has cost $${spent.toFixed(4)}${aheadText(ahead, `$${next.toFixed(4)}`)}.`;
}

function isOver(used: number, withNext: number, limit: number): boolean {
  return used >= limit || withNext > limit;
}

function aheadText(ahead: number, text: string): string {
  return ahead === 0 ? "" : `, and the next call's input alone is ${text}`;
}

function requirePositive(unit: string, value: number | null): number | null {
  if (value === null || (Number.isFinite(value) && value > 0)) return value;
  throw new RequestError(
    "input_invalid",
    `Expected a budget in ${unit} above 0, or null for no limit, got ${value}. Nothing was written.`,
  );
}

/** Returns the ConfigError for a dollar limit on a model without a known price. */
export function priceMissing(model: string): ConfigError {
  return new ConfigError(
    `A limit in dollars needs the price of ${model}, which is not known. Add the price to the configuration (or to the runtime's options), ` +
      `in dollars per million tokens: "prices": {"${model}": {"input": …, "cachedInput": …, "output": …}}.`,
  );
}
