// What a budget allows, to the token and the cent, and the message of a refusal.
import { budgetRefusal, type TurnLimits, turnLimits } from "../../../src/agent/turn-limits.ts";
import type { SendOptions } from "../../../src/agent/turn-options.ts";
import { nextStep } from "../../../src/agent/end-step.ts";
import { dollarsOf, noUsage } from "../../../src/base/message/message.ts";
import { priceOf } from "../../../src/runtime/models/model-price.ts";
import { fakeRecord } from "../../support/fake-agent.ts";

const price = { input: 3, cachedInput: 0.5, output: 15 };
const usage = (inputTokens: number, outputTokens = 0, cachedInputTokens = 0) => ({
  inputTokens,
  outputTokens,
  cachedInputTokens,
});

const within = (budget: TurnLimits["budget"]): TurnLimits => ({ budget, maxSteps: 10 });

test("cached tokens have their own price and are part of the input", () => {
  expect(dollarsOf(usage(1_000_000, 100_000, 400_000), price)).toBeCloseTo(0.6 * 3 + 0.4 * 0.5 + 0.1 * 15, 12);
  expect(dollarsOf(noUsage, price)).toBe(0);
});

test.each([
  [usage(60, 39), 0, null],
  [usage(60, 40), 0, "The turn may use 100 tokens: it has used 100."],
  [usage(60, 0), 40, null],
  [usage(60, 0), 41, "The turn may use 100 tokens: it has used 60, and the next call's input alone is 41 tokens."],
  [noUsage, 101, "The turn may use 100 tokens: it has used 0, and the next call's input alone is 101 tokens."],
])("100 tokens, %j used and %i to come", (used, ahead, refusal) => {
  expect(budgetRefusal(within({ tokens: 100, money: null }), used, ahead)).toBe(refusal);
});

test.each([
  [usage(0, 99_999), 0, null],
  [usage(0, 100_000), 0, "The turn may cost $1.5: it has cost $1.5000."],
  // The next call's input may all be cached: then a million tokens are 0.50.
  [usage(0, 50_000), 1_500_000, null],
  [
    usage(0, 50_000),
    1_500_001,
    "The turn may cost $1.5: it has cost $0.7500, and the next call's input alone is $0.7500.",
  ],
])("1.50 dollars, %j used and %i to come", (used, ahead, refusal) => {
  expect(budgetRefusal(within({ tokens: null, money: { dollars: 1.5, price } }), used, ahead)).toBe(refusal);
});

test("without a budget nothing is refused", () => {
  expect(budgetRefusal(within({ tokens: null, money: null }), usage(1e9, 1e9), 1e9)).toBeNull();
  expect(budgetRefusal(within(null), usage(1e9, 1e9), 1e9)).toBeNull();
});

describe("turnLimits", () => {
  const turnBudget = (
    ...[agent, known, budget]: readonly [typeof record, typeof price | null, SendOptions["budget"]?]
  ) => turnLimits(agent, known, budget === undefined ? {} : { budget }).budget;
  const record = { ...fakeRecord, settings: { ...fakeRecord.settings, maxTurnTokens: 100, maxTurnDollars: 2 } };

  test("takes the agent's settings, overridden by the caller's", () => {
    expect(turnBudget(record, price)).toEqual({ tokens: 100, money: { dollars: 2, price } });
    expect(turnBudget(record, price, { tokens: 7 })).toEqual({ tokens: 7, money: { dollars: 2, price } });
    expect(turnBudget(record, price, { tokens: null, dollars: null })).toEqual({ tokens: null, money: null });
  });

  test("in dollars without a price says how to configure one", () => {
    expect(() => turnBudget(record, null)).toThrow('"prices": {"demo": {"input": …');
    expect(turnBudget(record, null, { dollars: null })).toEqual({ tokens: 100, money: null });
  });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])("refuses %d as a budget", (value) => {
    expect(() => turnBudget(record, price, { tokens: value })).toThrow("a budget in tokens above 0");
    expect(() => turnBudget(record, price, { dollars: value })).toThrow("a budget in dollars above 0");
  });
});

describe("priceOf", () => {
  test.each([
    ["anthropic/claude-opus-5-5", 4],
    ["anthropic/claude-sonnet-4-5-20250929", 3],
    ["openai/gpt-5-2025-08-07", 1.25],
    ["openai/gpt-5.4-mini", 0.75],
    ["openai/gpt-5.4-mini-tuned", undefined],
    ["anthropic/claude-haiku-5-5", undefined],
    ["openai/toString", undefined],
  ])("of %s without a configured price is the list price: %p", (model, input) => {
    const found = priceOf(model, {});
    expect(found?.input).toBe(input);
    expect(found?.listedAt).toEqual(found === null ? undefined : expect.stringMatching(/^2026-\d{2}-\d{2}$/u));
  });

  test("that is configured overrides the list price, also by a prefix", () => {
    expect(priceOf("openai/gpt-5", { "openai/*": price })).toEqual(price);
  });

  const [one, two, three] = [1, 2, 3].map((input) => ({ ...price, input })) as [
    typeof price,
    typeof price,
    typeof price,
  ];
  const prices = { "openai/*": one, "openai/gpt-5*": two, "openai/gpt-5-mini": three };

  test.each([
    ["openai/gpt-5-mini", three],
    ["openai/gpt-5-large", two],
    ["openai/other", one],
    ["anthropic/x", null],
    ["constructor", null],
    ["demo", { input: 0, cachedInput: 0, output: 0 }],
  ])("of %s", (model, expected) => {
    expect(priceOf(model, prices)).toEqual(expected);
  });
});

describe("nextStep with an exhausted budget", () => {
  const end = { step: 1, maxSteps: 5, finish: "tool-calls", interrupted: false, waits: null, isSpent: true } as const;

  test("stops a turn that would continue, and does not affect one that ends", () => {
    const stop = (reason: string) => ({ type: "stop", reason });
    expect(nextStep({ ...end, followUp: { continues: true, events: [] } })).toEqual(stop("budget"));
    expect(nextStep({ ...end, followUp: { continues: false, events: [] }, finish: "end" })).toEqual(stop("end-turn"));
    expect(nextStep({ ...end, isSpent: false, followUp: { continues: true, events: [] } })).toEqual({
      type: "continue",
    });
  });
});
