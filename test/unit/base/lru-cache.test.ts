// Eviction of the cache, and what counts as use.
import { LruCache } from "../../../src/base/lru-cache.ts";

test("it evicts the least recently used entry", () => {
  const cache = new LruCache<string, number>(2);
  cache.set("a", 1);
  cache.set("b", 2);
  expect(cache.get("a")).toBe(1);
  cache.set("c", 3);
  expect([cache.get("a"), cache.get("b"), cache.get("c")]).toEqual([1, undefined, 3]);
  expect(cache.size).toBe(2);
});

test("writing an entry again renews it and adds none", () => {
  const cache = new LruCache<string, number>(2);
  cache.set("a", 1);
  cache.set("b", 2);
  cache.set("a", 3);
  cache.set("c", 4);
  expect([cache.get("a"), cache.get("b"), cache.get("c")]).toEqual([3, undefined, 4]);
});
