// Explanations of search hits.
import { explanationParts, type HitExplanation } from "../../../../src/base/search-view/search-explanation.ts";

const none: HitExplanation = { score: 0, words: null, meaning: null, literal: false };
const texts = (explanation: HitExplanation): unknown =>
  Object.fromEntries(explanationParts(explanation).map(({ name, text }) => [name, text]));

describe("explanationParts", () => {
  it("shows every part of the score, the total last", () => {
    const explanation: HitExplanation = {
      score: 1.93751,
      words: { rank: 1, score: 0.06079 },
      meaning: { rank: 3, cosine: 0.7123 },
      literal: true,
      identifier: true,
      bonus: 0.25,
      importance: 0.5,
    };
    expect(explanationParts(explanation)).toEqual([
      { name: "words", text: "rank 1, score 0.0608" },
      { name: "meaning", text: "rank 3, cosine 0.712" },
      { name: "literal", text: "contains the exact query" },
      { name: "bonus", text: "0.25" },
      { name: "importance", text: "0.5" },
      { name: "total", text: "1.94" },
    ]);
  });

  it("shows parts without a match, and parts that were not searched", () => {
    expect(texts(none)).toEqual({ words: "not found", meaning: "not compared", literal: "no", total: "0" });
    expect(texts({ ...none, meaning: { rank: null, cosine: -0.02 }, identifier: true })).toMatchObject({
      meaning: "not among the nearest, cosine -0.02",
      literal: "contains an identifier of the query",
    });
  });

  it("shows how much of the score by words came from neighbouring messages", () => {
    const words = { rank: 2, score: 0.5, context: 0.234 };
    expect(texts({ ...none, words })).toMatchObject({
      words: "rank 2, score 0.5, 23 % of it from neighbouring messages",
    });
    expect(texts({ ...none, words: { ...words, context: 0 } })).toMatchObject({
      words: "rank 2, score 0.5, 0 % of it from neighbouring messages",
    });
  });
});
