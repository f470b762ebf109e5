// Long lists are worked on in pieces: the results are those of one go, and others get the event loop in between.
import { jsonInPieces, mapInPieces } from "../../../src/base/in-pieces.ts";

function work(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

test("others have the event loop while a long list is mapped, and most of the time", async () => {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const began = performance.now();
  const results = await mapInPieces(
    Array.from({ length: 50 }, (_, at) => at),
    (item) => {
      work(2);
      return item + 1;
    },
  );
  isOver = true;
  expect(results).toEqual(Array.from({ length: 50 }, (_, at) => at + 1));
  expect(turns).toBeGreaterThan(20);
  // 100 ms of work; after the first 20, others have twice the time.
  expect(performance.now() - began).toBeGreaterThan(200);
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
