// Tokens by day and by model.
import {
  callsOfLast,
  sumsByModel,
  usageDays,
  type UsageStep,
} from "../../../src/surfaces/inspector/costs/usage-days.ts";

const step = (at: Date, model: string, inputTokens: number) =>
  ({
    at: at.toISOString(),
    model,
    usage: { inputTokens, outputTokens: 1, cachedInputTokens: 2 },
  }) as unknown as UsageStep;

test("days without calls are there with none, oldest first", () => {
  const days = usageDays([
    step(new Date(2026, 10, 25, 23, 59), "a", 10),
    step(new Date(2026, 10, 25, 0, 0), "b", 20),
    step(new Date(2026, 10, 22, 12), "a", 5),
  ]);
  expect(days.map(({ at, tokens }) => [new Date(at).getDate(), tokens])).toEqual([
    [22, 6],
    [23, 0],
    [24, 0],
    [25, 32],
  ]);
  expect(days.at(-1)?.models.map(({ model, calls }) => [model, calls])).toEqual([
    ["b", 1],
    ["a", 1],
  ]);
  expect(usageDays([])).toEqual([]);
});

test("a long time is cut to its newest days", () => {
  const days = usageDays([step(new Date(2026, 10, 25), "a", 1), step(new Date(2020, 0, 1), "a", 1)]);
  expect(days).toHaveLength(90);
  expect(new Date(days.at(-1)!.at).getFullYear()).toBe(2026);
});

test("the last days begin at midnight and include today", () => {
  const steps = [
    step(new Date(2026, 10, 25, 9), "a", 1),
    step(new Date(2026, 10, 19), "a", 2),
    step(new Date(2026, 10, 18, 23, 59), "a", 3),
  ];
  expect(callsOfLast(7, steps, new Date(2026, 10, 25, 12))).toEqual(steps.slice(0, 2));
  expect(callsOfLast(30, steps, new Date(2026, 10, 25, 12))).toEqual(steps);
});

test("sums of a model", () => {
  const at = new Date(2026, 10, 25);
  expect(sumsByModel([step(at, "a", 1), step(at, "b", 9), step(at, "a", 3)])).toEqual([
    { model: "b", calls: 1, inputTokens: 9, outputTokens: 1, cachedInputTokens: 2 },
    { model: "a", calls: 2, inputTokens: 4, outputTokens: 2, cachedInputTokens: 4 },
  ]);
});
