// The limits of a user: when they are reached, how long to wait, and what is read for it.
import { createUserLimiter, type UserLimits } from "../../../src/agent/user-limits.ts";
import { createRunningTurns, createTurnTotals } from "../../../src/agent/lease/running-turns.ts";
import { LimitError } from "../../../src/base/errors.ts";
import type { ModelUsage } from "../../../src/store/port/step-store.ts";
import { createManualClock } from "../../support/manual-clock.ts";

const none: UserLimits = { maxDailyTokens: null, maxDailyDollars: null, maxConcurrentTurns: null };
const used: readonly ModelUsage[] = [
  { model: "a", inputTokens: 3000, outputTokens: 1000, cachedInputTokens: 1000 },
  { model: "b", inputTokens: 500, outputTokens: 500, cachedInputTokens: 0 },
];
const price = { input: 1, cachedInput: 0.5, output: 6 };

function openLimiter(limits: Partial<UserLimits>, { usage = used, priced = ["a", "b"] } = {}) {
  const asked: Date[] = [];
  const clock = createManualClock(Date.UTC(2026, 2, 4, 18, 48));
  const limiter = createUserLimiter({
    limits: () => ({ ...none, ...limits }),
    usageSince: async (moment) => {
      asked.push(moment);
      return usage;
    },
    priceOf: (model) => (priced.includes(model) ? price : null),
    clock,
  });
  return { limiter, asked };
}

test.each([
  ["tokens over the limit", { maxDailyTokens: 4999 }, "daily-tokens", "may use 4,999 tokens a day and has used 5,000"],
  ["tokens at the limit", { maxDailyTokens: 5000 }, "daily-tokens", "may use 5,000 tokens a day and has used 5,000"],
  // a: 2000 fresh, 1000 cached, 1000 output; b: 500 fresh, 500 output.
  ["money over the limit", { maxDailyDollars: 0.011 }, "daily-dollars", "may spend $0.011 a day and has spent $0.0120"],
])("%s are reached until midnight UTC", async (_title, limits, limit, use) => {
  const { limiter, asked } = openLimiter(limits);
  expect(await limiter.reached("a", 1)).toEqual({
    limit,
    retryAfterMs: 18_720_000,
    text: `The user ${use}. The next day begins in 5 hours and 12 minutes, at midnight UTC.`,
  });
  expect(asked).toEqual([new Date("2026-03-04T00:00:00Z")]);
});

test.each([
  ["tokens below the limit", { maxDailyTokens: 5001 }],
  ["money below the limit", { maxDailyDollars: 0.0121 }],
  ["both below the limit", { maxDailyTokens: 5001, maxDailyDollars: 1 }],
])("%s allow a call", async (_title, limits) => {
  expect(await openLimiter(limits).limiter.reached("a", 1)).toBeNull();
});

test("without a limit per day, nothing is read", async () => {
  const { limiter, asked } = openLimiter({ maxConcurrentTurns: 2 });
  expect(await limiter.reached("unpriced", 2)).toBeNull();
  expect(await limiter.reached("unpriced", 3)).toEqual({
    limit: "concurrent-turns",
    retryAfterMs: 1000,
    text: "The user may have 2 turns at a time. Try again in 1 second, or when a turn has ended.",
  });
  expect(asked).toEqual([]);
});

test.each([
  ["of the model", "c", "c"],
  ["of a model that was used today", "a", "b"],
])("a limit in dollars without the price %s is a ConfigError", async (_title, model, missing) => {
  const { limiter } = openLimiter({ maxDailyDollars: 100 }, { priced: ["a"] });
  await expect(limiter.reached(model, 1)).rejects.toMatchObject({
    code: "config_invalid",
    message: expect.stringContaining(`needs the price of ${missing}`),
  });
});

describe("the turns of a runtime", () => {
  const turn = { agent: { id: "1", name: "diary", model: "a" }, conversationId: "2" };
  const limitedTurns = (limits: Partial<UserLimits>) =>
    createRunningTurns({ limiter: openLimiter(limits).limiter, totals: createTurnTotals(), observers: [] });

  it("are admitted up to the limit, also at the same moment, and again when one has left", async () => {
    const turns = limitedTurns({ maxConcurrentTurns: 2 });
    const outcomes = await Promise.allSettled([turns.enterTurn(turn), turns.enterTurn(turn), turns.enterTurn(turn)]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
    expect(outcomes[2]).toMatchObject({ reason: { code: "user_limit_reached", limit: "concurrent-turns" } });
    expect((outcomes[2] as PromiseRejectedResult).reason).toBeInstanceOf(LimitError);
    if (outcomes[0]?.status === "fulfilled") outcomes[0].value.leave();
    (await turns.enterTurn(turn)).leave();
  });

  it("do not include changes, and a running one is not stopped by their number", async () => {
    const turns = limitedTurns({ maxConcurrentTurns: 1 });
    turns.enter();
    turns.enter();
    await turns.enterTurn(turn);
    expect(await turns.reachedLimit("a")).toBeNull();
  });

  it("are not waited for when they were refused", async () => {
    const turns = limitedTurns({ maxDailyTokens: 1 });
    await expect(turns.enterTurn(turn)).rejects.toMatchObject({ limit: "daily-tokens", retryAfterMs: 18_720_000 });
    await turns.close(3_600_000);
  });
});
