// Compares the ring with an array, and checks the guarantees about the array that it returns.
import fc from "fast-check";
import { RingBuffer } from "../../../src/base/ring-buffer.ts";

test("it equals an array after any appends, takes and replacements", () => {
  const change = fc.oneof(
    fc.record({ type: fc.constant("append" as const), items: fc.array(fc.nat(), { maxLength: 40 }) }),
    fc.record({ type: fc.constant("take" as const), count: fc.integer({ min: -2, max: 30 }) }),
    fc.record({ type: fc.constant("replace" as const), items: fc.array(fc.nat(), { maxLength: 40 }) }),
  );
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
      const ring = new RingBuffer<number>();
      let model: readonly number[] = [];
      for (const made of changes) {
        if (made.type === "append") {
          for (const item of made.items) ring.append(item);
          model = [...model, ...made.items];
        } else if (made.type === "replace") {
          ring.replace(made.items);
          model = made.items;
        } else {
          const count = Math.max(0, made.count);
          expect(ring.takeFirst(made.count)).toEqual(model.slice(0, count));
          model = model.slice(count);
        }
        expect(ring.items).toEqual(model);
        expect(ring.length).toBe(model.length);
        for (const place of [0, 1, -1, -2, model.length, -model.length - 1])
          expect(ring.at(place)).toBe(model.at(place));
      }
    }),
  );
});

test("it returns the same array until something changes, and never changes a returned array", () => {
  const ring = new RingBuffer(["a", "b"]);
  const before = ring.items;
  expect(ring.items).toBe(before);
  expect(ring.takeFirst(0)).toEqual([]);
  expect(ring.items).toBe(before);
  ring.append("c");
  const after = ring.items;
  expect(after).toEqual(["a", "b", "c"]);
  ring.takeFirst(2);
  expect(before).toEqual(["a", "b"]);
  expect(after).toEqual(["a", "b", "c"]);
});

test("it keeps no reference to given or taken arrays", () => {
  const given = ["a", "b"];
  const ring = new RingBuffer(given);
  given[0] = "changed";
  expect(ring.items).toEqual(["a", "b"]);
});
