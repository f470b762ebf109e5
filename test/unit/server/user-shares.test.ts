// The turns of users at the event loop: of one user few pieces of work run at a time, and those of others do not wait for them.
import { createUserShares } from "../../../src/surfaces/http/user-shares.ts";
import { createManualClock } from "../../support/manual-clock.ts";

const limits = { requestsPerMinute: 1000, requests: 32, streams: 8, bytes: 1000 };

function openShares() {
  const shares = createUserShares(limits, createManualClock());
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const work = (userId: string): Promise<void> =>
    shares.enter(userId, { mayStream: false }).inTurn("read", async () => {
      started.push(userId);
      await new Promise<void>((end) => ends.push(end));
    });
  return { shares, started, ends, work };
}

test("a user's third piece of work waits for the first, and another user's does not", async () => {
  const { started, ends, work } = openShares();
  const all = ["ada", "ada", "ada", "ben"].map(work);
  await new Promise((resolve) => setImmediate(resolve));
  expect(started).toEqual(["ada", "ada", "ben"]);
  ends[0]!();
  await all[0];
  await new Promise((resolve) => setImmediate(resolve));
  expect(started).toEqual(["ada", "ada", "ben", "ada"]);
  for (const end of ends) end();
  await Promise.all(all);
});

test("work that fails gives its turn to the next", async () => {
  const { shares, started, work, ends } = openShares();
  const share = shares.enter("ada", { mayStream: false });
  for (let trial = 0; trial < 5; trial += 1)
    await expect(share.inTurn("read", () => Promise.reject(new RangeError("mine")))).rejects.toThrow("mine");
  const last = work("ada");
  await new Promise((resolve) => setImmediate(resolve));
  expect(started).toEqual(["ada"]);
  ends[0]!();
  await last;
});

test("after long work, its place rests while there are other users", async () => {
  const { shares } = openShares();
  const share = shares.enter("ada", { mayStream: false });
  const works = () => {
    const began: number[] = [];
    const ended: number[] = [];
    const work = (): Promise<void> =>
      share.inTurn("read", async () => {
        began.push(performance.now());
        await new Promise((resolve) => setTimeout(resolve, 200));
        ended.push(performance.now());
      });
    return { began, ended, all: [work(), work(), work()] };
  };
  const alone = works();
  await alone.all[0];
  await new Promise(setImmediate);
  expect(alone.began).toHaveLength(3);
  await Promise.all(alone.all);
  shares.enter("eve", { mayStream: false });
  const beside = works();
  await Promise.all(beside.all);
  expect(beside.began[2]! - beside.ended[0]!).toBeGreaterThan(550);
});

test("bodies beyond a burst are read at the user's rate, and another user's at once", async () => {
  const { shares } = openShares();
  const pace = async (userId: string, megabytes: number): Promise<number> => {
    const began = performance.now();
    await shares.enter(userId, { mayStream: false }).pace(megabytes * 1_000_000);
    return performance.now() - began;
  };
  expect(await Promise.race([pace("ada", 10), pace("ada", 30).then(() => "slowed down")])).not.toBe("slowed down");
  expect(await pace("ada", 10)).toBeGreaterThan(400);
});

test("a user who has just sent much is slowed down in the next request too", async () => {
  const { shares } = openShares();
  const first = shares.enter("ada", { mayStream: false });
  await first.pace(10_000_000);
  first.leave();
  const began = performance.now();
  await shares.enter("ada", { mayStream: false }).pace(10_000_000);
  expect(performance.now() - began).toBeGreaterThan(300);
});
