// Work on a connection ends when the connection is lost, and a connection holds nothing of work that is done.
import { setImmediate } from "node:timers/promises";
import v8 from "node:v8";
import { runInNewContext } from "node:vm";
import { createLoss } from "../../../src/store/connection/connection-pool.ts";

const never = new Promise<never>(() => undefined);
const lost = { cause: { code: "CONNECTION_CLOSED" } };

test("work settles as it does by itself while the connection is open", async () => {
  const { orLost, isLost } = createLoss();
  expect(await orLost(Promise.resolve(1))).toBe(1);
  await expect(orLost(Promise.reject(new Error("refused")))).rejects.toThrow("refused");
  expect(isLost()).toBe(false);
});

test("work in progress and later work are rejected when the connection is lost", async () => {
  const { orLost, lose, isLost } = createLoss();
  const running = [orLost(never), orLost(never)];
  lose();
  lose();
  for (const work of [...running, orLost(never), orLost(Promise.reject(new Error("refused")))]) {
    await expect(work).rejects.toMatchObject(lost);
  }
  expect(isLost()).toBe(true);
});

test("results of work that is done can be collected while the connection is open", async () => {
  const { orLost, isLost } = createLoss();
  const results: WeakRef<object>[] = [];
  for (let n = 0; n < 20; n += 1) {
    await orLost(
      (async () => {
        const result = { n };
        results.push(new WeakRef(result));
        return result;
      })(),
    );
  }
  v8.setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  await setImmediate();
  collect();
  // The last one may still be on the stack.
  expect(results.slice(0, -1).filter((result) => result.deref() !== undefined)).toEqual([]);
  expect(isLost()).toBe(false);
});
