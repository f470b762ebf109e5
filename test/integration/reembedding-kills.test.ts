// The short form of the trial of a re-embedding (`npm run test:reembed` is the long one), on the engine at hand.
import { runReembedTrial } from "../reembed/run-reembed-trial.ts";

test("each of 1,000 passages has its vectors once after three kills, and searches find the same hits throughout", async () => {
  const { violations, killed, use } = await runReembedTrial({
    passages: 1000,
    kills: 3,
    ratePerSecond: 500,
    log: () => undefined,
  });
  expect(violations).toEqual([]);
  expect(killed).toBe(3);
  expect(use.inserted).toBeGreaterThan(0);
});
