// What a key has open ends when it is revoked, and only that: a stream that has ended is forgotten.
import { createKeyWatch } from "../../../src/surfaces/http/key-watch.ts";

test("a revoked key ends what is open, and nothing is kept of what has ended", async () => {
  let answer = (): void => undefined;
  const revoked = new Promise<null>((resolve) => (answer = () => resolve(null)));
  const watch = createKeyWatch(() => revoked, { sleep: async () => undefined });
  const first = watch.begin("secret");
  const second = watch.begin("secret");
  first.end();
  const ended = new Promise((resolve) => second.signal.addEventListener("abort", () => resolve(second.signal.reason)));
  answer();
  expect(await ended).toMatchObject({ status: 401, code: "key_invalid" });
  expect(first.signal.aborted).toBe(false);
});
