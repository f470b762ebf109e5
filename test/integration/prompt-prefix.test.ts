// Each prompt repeats the one before it, byte for byte, in the conversation that `bench -- context`
// replays: 200 turns with 40 memory edits and several compactions, each message with its time.
import { replayConversation } from "../../bench/replay.ts";

it("a request begins with the whole one before, with the times of messages and a state that changes", async () => {
  const { shares, compactions, renewals } = await replayConversation({ layout: "stable", strategy: "recursive" });
  expect(shares.between.requests).toBeGreaterThan(200);
  expect(compactions).toBeGreaterThan(1);
  expect(renewals).toBe(0);
  expect(shares.between.minimum).toBe(1);
});
