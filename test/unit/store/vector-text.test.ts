// A vector as text: what the database reads from it is the number that it would have kept, to the last bit of single precision.
import { vectorOf, vectorText } from "../../../src/store/vectors/vector-text.ts";

const numbers = [
  0,
  -0,
  1,
  -1,
  1 / 3,
  0.1 + 0.2,
  1e-7,
  -1.175494351e-38,
  1e-45,
  3.4028234663852886e38,
  16_777_217,
  0.05587393045425415,
  ...Array.from({ length: 2000 }, (_, index) => Math.sin(index) * 10 ** ((index % 13) - 9)),
];

it("represents every single-precision number exactly", () => {
  const kept = numbers.map(Math.fround);
  expect(vectorOf(vectorText(kept, kept.length)).map(Math.fround)).toEqual(kept.map((number) => number + 0));
});

it("is short: at most nine digits per number", () => {
  expect(vectorText([1 / 3, -2e-10, 0.5, 0.1 + 0.2], 4)).toBe("[0.333333333,-2e-10,0.5,0.3]");
});

it.each([
  [[1, 2], 3, "embedding_dimensions_mismatch", "Expected a vector of 3 numbers, got 2 numbers."],
  [[1, Number.NaN], 2, "embedding_failed", "Expected finite numbers in a vector, got a number that is not finite."],
  [
    [Number.POSITIVE_INFINITY],
    1,
    "embedding_failed",
    "Expected finite numbers in a vector, got a number that is not finite.",
  ],
])("is refused for %j as one of %i", (vector, dimensions, code, message) => {
  expect(() => vectorText(vector, dimensions)).toThrow(expect.objectContaining({ code, message }));
});
