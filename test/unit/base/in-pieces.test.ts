// Long lists are worked on in pieces: the results are those of one go, and others get the event loop in between.
import { jsonInPieces, mapInPieces } from "../../../src/base/in-pieces.ts";

test("others have the event loop while a long list is mapped", async () => {
  const order: string[] = [];
  const work = mapInPieces(
    Array.from({ length: 1000 }, (_, at) => at),
    (item, at) => {
      order.push("item");
      return item + at;
    },
  );
  setImmediate(() => order.push("other"));
  const results = await work;
  expect(results).toHaveLength(1000);
  expect(results[999]).toBe(1998);
  expect(order.indexOf("other")).toBeLessThan(100);
});

test.each([
  [[]],
  [null],
  [{ a: 1 }],
  [[1, "ä船", { b: [] }]],
  [Array.from({ length: 60 }, (_, at) => ({ at, text: "ä" }))],
  [Array.from({ length: 30 }, () => undefined)],
])("the JSON is the same as in one go", async (value) => {
  expect((await jsonInPieces(value)).toString()).toBe(JSON.stringify(value));
});
