// Which messages a compaction takes, by MemGPT's rule but in whole turns: the oldest 75 % of the tokens, never the last N.
import fc from "fast-check";
import { evictionRules, planCompaction } from "../../../src/context/compaction/plan-compaction.ts";
import type { StoredMessage } from "../../../src/store/port/records.ts";
import { calling, resultOf, storedMessage } from "../../support/messages.ts";

/** How much goes by MemGPT's rule. */
const tokensOf = ({ tokens }: StoredMessage): number => tokens;
const memgpt = { share: 0.75, minTokens: 0, minMessages: 0, batchTokens: Infinity, tokensOf };

/** MemGPT's boot sequence without its system message, and n exchanges. */
function bootAnd(exchanges: number): readonly StoredMessage[] {
  const exchange = (number: number) =>
    [calling(`c${number}`), resultOf(`c${number}`), storedMessage({ role: "user" })].map((message) => ({
      ...message,
      turnId: `turn ${number}`,
    }));
  return Array.from({ length: exchanges + 1 }, (_, number) => exchange(number)).flat();
}

test.each([
  [0, null, null],
  [1, 3, 3],
  [2, 6, 3],
  [3, 9, 3],
  [5, 12, 6],
])("after the boot and %i exchanges, %p messages are summarized and %p stay", (exchanges, evicted, kept) => {
  const plan = planCompaction(bootAnd(exchanges), { ...memgpt, keepLast: 3, turnId: null });
  expect(plan?.evicted.length ?? null).toBe(evicted);
  expect(plan?.kept.length ?? null).toBe(kept);
  expect(plan?.kept[0]?.role).not.toBe("tool");
});

test("nothing of the running turn is evicted", () => {
  const messages = [...bootAnd(3), storedMessage({ role: "user", turnId: "now" }), calling("x"), resultOf("x")];
  const plan = planCompaction(messages, { ...memgpt, keepLast: 0, turnId: "now" });
  expect(plan?.kept.some((message) => message.turnId === "now")).toBe(true);
  expect(plan?.evicted.some((message) => message.turnId === "now")).toBe(false);
});

test("the evicted and the kept are the thread, and no result is kept without its call", () => {
  const step = fc.oneof(
    fc.constant(() => [storedMessage({ role: "user" })]),
    fc.constant(() => [storedMessage({ role: "assistant" })]),
    fc.integer({ min: 1, max: 3 }).map((calls) => () => {
      const ids = Array.from({ length: calls }, (_, number) => `p${number}`);
      return [calling(...ids), ...ids.map(resultOf)];
    }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), fc.nat(12), (steps, keepLast) => {
      const messages = steps.flatMap((make, turn) =>
        make().map((one) => ({ ...one, turnId: `${Math.floor(turn / 2)}` })),
      );
      const plan = planCompaction(messages, { ...memgpt, keepLast, turnId: null });
      if (plan === null) return;
      expect([...plan.evicted, ...plan.kept]).toEqual(messages);
      expect(plan.evicted.length).toBeGreaterThan(keepLast === 0 ? 0 : 1);
      expect(plan.kept[0]?.role).not.toBe("tool");
      expect(plan.kept[0]?.turnId).not.toBe(plan.evicted.at(-1)?.turnId);
    }),
  );
});

describe("how much is evicted", () => {
  const settings = { compaction: "ring", compactMessages: 50, ringBatch: 10 } as const;
  const messages = (count: number) =>
    Array.from({ length: count }, (_, number) => storedMessage({ role: "user", turnId: `t${number}` }));
  const goes = (
    count: number,
    rules: Omit<Parameters<typeof planCompaction>[1], "turnId" | "tokensOf" | "batchTokens">,
  ) =>
    planCompaction(messages(count), { turnId: null, tokensOf, batchTokens: Infinity, ...rules })?.evicted.length ??
    null;

  const recursive = { ...settings, compaction: "recursive" } as const;
  const truncate = { ...settings, compaction: "truncate" } as const;

  test.each([
    // MUXI: the 51st message makes one entry of the oldest ten.
    ["a ring, one message too many", { given: settings, cause: "messages", excess: 0, count: 51 }, 10],
    ["a ring, many too many", { given: settings, cause: "messages", excess: 0, count: 80 }, 30],
    ["a ring, tokens", { given: settings, cause: "tokens", excess: 1, count: 80 }, 20],
    ["a ring, more tokens than a quarter", { given: settings, cause: "tokens", excess: 305, count: 80 }, 31],
    ["a ring, when asked", { given: settings, cause: "asked", excess: 0, count: 80 }, 60],
    ["one summary, tokens", { given: recursive, cause: "tokens", excess: 1, count: 80 }, 60],
    ["one summary, nearly all tokens", { given: recursive, cause: "tokens", excess: 690, count: 80 }, 69],
    ["no summary, too many", { given: truncate, cause: "messages", excess: 0, count: 80 }, 60],
  ] as const)("%s", (_name, { given, count, ...need }, expected) => {
    expect(goes(count, { keepLast: 5, ...evictionRules(given, need, count) })).toBe(expected);
  });

  test("a first message that is longer than all others together is evicted with the next one", () => {
    const giant = storedMessage({ role: "user", tokens: 10_000 });
    const rules = evictionRules({ ...settings, compaction: "recursive" }, { cause: "asked", excess: 0 }, 9);
    const plan = planCompaction([giant, ...messages(8)], {
      keepLast: 5,
      turnId: null,
      tokensOf,
      batchTokens: Infinity,
      ...rules,
    });
    expect(plan?.evicted).toHaveLength(2);
  });

  test("the messages to keep are kept, however much should be evicted", () => {
    const rules = evictionRules(settings, { cause: "tokens", excess: 10_000 }, 20);
    expect(goes(20, { keepLast: 15, ...rules })).toBe(5);
    expect(goes(16, { keepLast: 15, ...rules })).toBeNull();
  });

  test.each([
    // 80 messages of 10 tokens, of which 60 may go.
    [1000, 60],
    [550, 55],
    [250, 50],
    [10, 60],
  ])(
    "with %i tokens in a request to the summarizer, %i messages go, so that no request is for a small rest",
    (batchTokens, expected) => {
      const rules = { ...memgpt, batchTokens, keepLast: 5, turnId: null };
      expect(planCompaction(messages(80), rules)?.evicted).toHaveLength(expected);
    },
  );

  test("more requests are made if that many tokens have to leave", () => {
    const rules = { ...memgpt, batchTokens: 550, minTokens: 560, keepLast: 5, turnId: null };
    expect(planCompaction(messages(80), rules)?.evicted).toHaveLength(56);
  });
});
