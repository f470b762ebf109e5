// The mutex that turns of one conversation wait for.
import { createQueue } from "../../../src/base/waiting.ts";

test("who stops waiting is refused at once, no longer counts, and lets those behind pass", async () => {
  const queue = createQueue();
  const leave = await queue.enter();
  const stop = new AbortController();
  const stopped = queue.enter(stop.signal);
  const last = queue.enter();
  expect(queue.size).toBe(3);
  stop.abort(new Error("stopped"));
  await expect(stopped).rejects.toThrow("stopped");
  expect(queue.size).toBe(2);
  let hasEntered = false;
  void last.then(() => (hasEntered = true));
  await Promise.resolve();
  expect(hasEntered).toBe(false);
  leave();
  (await last)();
  expect(queue.size).toBe(0);
});
