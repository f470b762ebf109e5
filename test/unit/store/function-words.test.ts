// Function words of other languages: which are left out of a question, and which questions stay as they are.
import { foldText } from "../../../src/base/fold-text.ts";
import { withoutFunctionWords } from "../../../src/store/search/search-terms.ts";

const left = (query: string) =>
  withoutFunctionWords(foldText(query))
    .split(/[\s¿?]+/u)
    .filter((word) => word !== "");

describe("the words of a question", () => {
  it.each([
    ["Wer fährt ohne das Auto zur Arbeit?", ["fahrt", "auto", "arbeit"]],
    ["¿Quién está en la piscina de Sevilla?", ["piscina", "sevilla"]],
    ["Où est le chat de ma sœur ?", ["chat", "soeur"]],
    ["Was kostet der Kurs?", ["kostet", "kurs"]],
    ["Où est user_id pour la base-de-donnees?", ["user_id", "base-", "-donnees"]],
  ])("are without the function words of their language: %s", (query, words) => {
    expect(left(query)).toEqual(words);
  });

  it.each([
    "Who was in the las Vegas y de hotel?",
    "Under two hours, no walking, no crying",
    "die cast model",
    "Wer ist das?",
    "谁不能吃坚果",
    "Lisbon",
  ])("stay as they are: %s", (query) => {
    expect(withoutFunctionWords(foldText(query))).toBe(foldText(query));
  });
});
