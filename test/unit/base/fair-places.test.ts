// Places are given in turn to those who wait, and nobody has more than the maximum of one.
import { createFairPlaces } from "../../../src/base/fair-places.ts";

function openPlaces(size: number, maxOfOne: number) {
  const places = createFairPlaces({ size, maxOfOne });
  const started: string[] = [];
  const frees: (() => void)[] = [];
  const take = (name: string): void =>
    void places.take(name).then((free) => {
      started.push(name);
      frees.push(free);
    });
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    places,
    take,
    async started() {
      await settled();
      return started.join("");
    },
    freeFirst: () => frees.shift()?.(),
  };
}

test("one who comes later waits for one place, not for all that another waits for", async () => {
  const { take, started, freeFirst, places } = openPlaces(1, 1);
  for (const name of "aaaaab") take(name);
  expect(await started()).toBe("a");
  expect(places.waiting()).toBe(5);
  freeFirst();
  expect(await started()).toBe("aa");
  freeFirst();
  expect(await started()).toBe("aab");
  for (let at = 0; at < 4; at += 1) {
    freeFirst();
    await started();
  }
  expect(await started()).toBe("aabaaa");
  expect(places.waiting()).toBe(0);
});

test("nobody has more than the maximum of one, though places are free", async () => {
  const { take, started, freeFirst } = openPlaces(4, 2);
  for (const name of "aaaab") take(name);
  expect(await started()).toBe("aab");
  freeFirst();
  expect(await started()).toBe("aaba");
});

test("a caller with a free place does not wait, and all places become free", async () => {
  const { take, started, freeFirst, places } = openPlaces(2, 2);
  await places.allFree();
  for (const name of "ab") take(name);
  expect(await started()).toBe("ab");
  let isFree = false;
  void places.allFree().then(() => (isFree = true));
  freeFirst();
  await started();
  expect(isFree).toBe(false);
  freeFirst();
  await started();
  expect(isFree).toBe(true);
});
