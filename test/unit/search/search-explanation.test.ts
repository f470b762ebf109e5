// Why something was found, in words.
import { explanationParts, type Explanation } from "../../../src/search-explanation.ts";

const none: Explanation = { score: 0, words: null, meaning: null, literal: false };
const texts = (explanation: Explanation): unknown =>
  Object.fromEntries(explanationParts(explanation).map(({ name, text }) => [name, text]));

describe("explanationParts", () => {
  it("tells what every voice said, the total last", () => {
    const explanation: Explanation = {
      score: 1.93751,
      words: { rank: 1, score: 0.06079 },
      meaning: { rank: 3, cosine: 0.7123 },
      literal: true,
      identifier: true,
      importance: 0.5,
    };
    expect(explanationParts(explanation)).toEqual([
      { name: "words", text: "rank 1, score 0.0608" },
      { name: "meaning", text: "rank 3, cosine 0.712" },
      { name: "literal", text: "holds the query as it stands" },
      { name: "importance", text: "0.5" },
      { name: "total", text: "1.94" },
    ]);
  });

  it("says what was not found or not looked at", () => {
    expect(texts(none)).toEqual({ words: "not found", meaning: "not compared", literal: "no", total: "0" });
    expect(texts({ ...none, meaning: { rank: null, cosine: -0.02 }, identifier: true })).toMatchObject({
      meaning: "not among the nearest, cosine -0.02",
      literal: "holds an identifier of the query",
    });
  });
});
