// Searches in the address of the inspector, and the reasons for ranks as bars.
import type { HitExplanation } from "../../../src/base/search-view/search-explanation.ts";
import { scoreBars } from "../../../src/surfaces/inspector/search/score-bars.ts";
import { addressQueryOf, searchRequestOf } from "../../../src/surfaces/inspector/search/search-request.ts";

test("a request is read back as it was written", () => {
  const request = {
    kind: "recall" as const,
    query: '"tea & cake"',
    page: 2,
    tags: ["a", "b c"],
    start: "2026-11-01",
    end: "2026-11-25",
    neighbours: 2,
    includeAbandoned: true,
  };
  expect(searchRequestOf(addressQueryOf(request))).toEqual(request);
  expect(addressQueryOf(searchRequestOf({}))).toEqual({ kind: "archive" });
});

test("an address that makes no sense is a request without it", () => {
  expect(
    searchRequestOf({ kind: "x", page: "-1", neighbours: "a", start: "yesterday", tags: " , ,a", abandoned: "1" }),
  ).toEqual({
    kind: "archive",
    query: "",
    page: 0,
    tags: ["a"],
    start: "",
    end: "",
    neighbours: 0,
    includeAbandoned: false,
  });
});

test("bars have the scale of the page, and a penalty is one", () => {
  const hit = (more: Partial<HitExplanation>): HitExplanation => ({
    score: 1,
    words: null,
    meaning: null,
    literal: false,
    ...more,
  });
  const first = hit({ score: 2, words: { rank: 1, score: 0.8 }, bonus: -0.1, literal: true });
  const second = hit({ score: 1, words: { rank: 2, score: 0.4 }, bonus: 0.2, meaning: { rank: 1, cosine: 0.5 } });
  const shares = (one: HitExplanation) =>
    scoreBars(one, [first, second]).map(({ name, share, isPenalty }) => [name, share, isPenalty]);
  expect(shares(first)).toEqual([
    ["words", 1, false],
    ["meaning", 0, false],
    ["literal", 1, false],
    ["bonus", 0.5, true],
    ["total", 1, false],
  ]);
  expect(shares(second)).toEqual([
    ["words", 0.5, false],
    ["meaning", 1, false],
    ["literal", 0, false],
    ["bonus", 1, false],
    ["total", 0.5, false],
  ]);
});
