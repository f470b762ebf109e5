// Which messages a compaction takes (C23), by MemGPT's rule: the oldest 75 % of the tokens, never the last N.
import fc from "fast-check";
import { planCompaction } from "../../../src/context/plan-compaction.ts";
import type { StoredMessage } from "../../../src/memory/records.ts";
import { calling, resultOf, storedMessage } from "../../support/messages.ts";

/** MemGPT's boot sequence without its system message, and n exchanges. */
function bootAnd(exchanges: number): readonly StoredMessage[] {
  const exchange = (number: number) => [calling(`c${number}`), resultOf(`c${number}`), storedMessage({ role: "user" })];
  return Array.from({ length: exchanges + 1 }, (_, number) => exchange(number)).flat();
}

test.each([
  [0, null, null],
  [1, 3, 3],
  [2, 6, 3],
  [3, 9, 3],
  [5, 14, 4],
])("C23 after the boot and %i exchanges, %p messages are summarized and %p stay", (exchanges, evicted, kept) => {
  const plan = planCompaction(bootAnd(exchanges), { keepLast: 3, turnId: null });
  expect(plan?.evicted.length ?? null).toBe(evicted);
  expect(plan?.kept.length ?? null).toBe(kept);
  expect(plan?.kept[0]?.role).not.toBe("tool");
});

test("nothing of the running turn goes", () => {
  const messages = [...bootAnd(3), storedMessage({ role: "user", turnId: "now" }), calling("x"), resultOf("x")];
  const plan = planCompaction(messages, { keepLast: 0, turnId: "now" });
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
      const messages = steps.flatMap((make) => make());
      const plan = planCompaction(messages, { keepLast, turnId: null });
      if (plan === null) return;
      expect([...plan.evicted, ...plan.kept]).toEqual(messages);
      expect(plan.evicted.length).toBeGreaterThan(keepLast === 0 ? 0 : 1);
      expect(plan.kept[0]?.role).not.toBe("tool");
    }),
  );
});
