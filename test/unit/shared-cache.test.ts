// A cache that several owners share: what is evicted, and what one owner can do to the others.
import { createSharedCache } from "../../src/base/shared-cache.ts";

const limits = { size: 100, maxOfOne: 40 };

it("gives a value to one taker only, and forgets it then", () => {
  const cache = createSharedCache<string>(limits);
  cache.put("ada", "a", "first", 10);
  expect([cache.take("ada", "a"), cache.take("ada", "a"), cache.weight]).toEqual(["first", null, 0]);
  expect(cache.take("bob", "a")).toBeNull();
});

it("replaces the value under a key, with its weight", () => {
  const cache = createSharedCache<string>(limits);
  cache.put("ada", "a", "first", 10);
  cache.put("ada", "a", "second", 20);
  expect([cache.weight, cache.take("ada", "a")]).toEqual([20, "second"]);
});

it("evicts the least recently used values of an owner who has too many, and none of others", () => {
  const cache = createSharedCache<number>(limits);
  cache.put("ada", "a", 1, 10);
  for (let number = 0; number < 1000; number += 1) cache.put("eve", `${number}`, number, 10);
  expect(cache.weight).toBe(50);
  expect([996, 997, 998, 999].map((number) => cache.take("eve", `${number}`))).toEqual([996, 997, 998, 999]);
  expect([cache.take("eve", "995"), cache.take("ada", "a")]).toEqual([null, 1]);
});

it("evicts the least recently used values of all when it is full", () => {
  const cache = createSharedCache<number>(limits);
  for (const owner of ["a", "b", "c", "d"]) cache.put(owner, "key", 1, 30);
  expect(["a", "b", "c", "d"].map((owner) => cache.take(owner, "key"))).toEqual([null, 1, 1, 1]);
});

it("does not store a value that is heavier than an owner's share, and drops the one that it replaces", () => {
  const cache = createSharedCache<number>(limits);
  cache.put("ada", "a", 1, 10);
  cache.put("ada", "a", 2, 41);
  expect([cache.take("ada", "a"), cache.weight]).toEqual([null, 0]);
});

it("drops all values of an owner", () => {
  const cache = createSharedCache<number>(limits);
  for (const owner of ["ada", "bob"]) for (const key of ["a", "b"]) cache.put(owner, key, 1, 10);
  cache.drop("ada");
  expect([cache.take("ada", "a"), cache.take("bob", "a"), cache.weight]).toEqual([null, 1, 10]);
});
