// What a hit of recall looks like with its neighbours, its speaker and its reasons: for people, for scripts and for models.
import { foundShape } from "../../../src/cli/listing-shapes.ts";
import { foundText } from "../../../src/cli/listing-texts.ts";
import { formatSearchPage } from "../../../src/tool/search-results.ts";
import type { SearchPage } from "../../../src/tool/tool.ts";

const at = new Date("2026-11-21T10:13:01Z");
const said = (id: string, text: string, speaker?: string) => ({
  id,
  text,
  role: "user" as const,
  at,
  trust: "external" as const,
  ...(speaker === undefined ? {} : { speaker }),
});
const page: SearchPage = {
  hits: [
    {
      ...said("2", "Under the pot.", "Ben"),
      neighbours: { before: [said("1", "Where is\nthe key?", "Ada")], after: [said("3", "Thanks!")] },
      explanation: {
        score: 1.5,
        words: { rank: 2, score: 0.5, context: 0.25 },
        meaning: { rank: null, cosine: 0.612 },
        literal: true,
      },
    },
  ],
  page: 0,
  pageSize: 5,
  total: 1,
};

it("for people: neighbours on a line each, and the reasons when they are asked for", () => {
  const lines = [
    "  | Ada: Where is the key?",
    "2026-11-21 10:13  Ben  from outside  2",
    "  Under the pot.",
    "  (score 1.50; words: no. 2, 0.50, 25 % of it from what was said around it; meaning: likeness 0.61; holds the query as it stands)",
    "  | user: Thanks!",
    "Page 1 of 1, 1 in all.",
  ];
  expect(foundText(page, { isExplained: true }).split("\n")).toEqual(lines);
  expect(foundText(page).split("\n")).toEqual(lines.filter((line) => !line.includes("score")));
});

it("for people: what was found by meaning alone, or compared by words alone", () => {
  const [hit] = page.hits;
  const told = (explanation: NonNullable<typeof hit>["explanation"]) =>
    foundText({ ...page, hits: [{ ...hit!, explanation: explanation! }] }, { isExplained: true });
  expect(told({ score: 0.7, words: null, meaning: { rank: 1, cosine: 0.8 }, literal: false })).toContain(
    "(score 0.70; words: not found; meaning: no. 1, likeness 0.80)",
  );
  expect(told({ score: 1, words: { rank: 1, score: 1, context: 0 }, meaning: null, literal: false })).toContain(
    "(score 1.00; words: no. 1, 1.00, 0 % of it from what was said around it; meaning: not compared)",
  );
});

it("for scripts: the same, field by field", () => {
  expect(foundShape(page)).toMatchObject({
    hits: [
      {
        id: "2",
        speaker: "Ben",
        before: [{ id: "1", role: "user", speaker: "Ada", text: "Where is\nthe key?", trust: "external", at }],
        after: [{ id: "3", role: "user", text: "Thanks!" }],
        explanation: { score: 1.5, words: { rank: 2 }, meaning: { rank: null }, literal: true },
      },
    ],
  });
});

it("for models: neighbours are results of their own, marked as such, and no reasons", () => {
  const text = formatSearchPage(page, "UTC");
  const results: unknown = JSON.parse(text.slice(text.indexOf("["), text.lastIndexOf("]") + 1));
  expect(results).toEqual([
    expect.stringMatching(/^before: timestamp: .*, trust: external, user Ada - Where is\nthe key\?$/u),
    expect.stringMatching(/^timestamp: .*, trust: external, user Ben - Under the pot\.$/u),
    expect.stringMatching(/^after: timestamp: .*, trust: external, user - Thanks!$/u),
  ]);
  expect(text).toContain("Showing 1 of 1 results");
  expect(text).not.toContain("score");
});
