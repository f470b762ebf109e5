// What a hit of recall looks like with its neighbours, its speaker and its reasons: for people, for scripts and for models.
import { type FoundOptions, foundPieces, foundShape } from "../../../src/surfaces/cli/format/found-pieces.ts";
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
  wordsAlone: false,
  total: 1,
};

const shown = (found: SearchPage, options: FoundOptions = {}): string =>
  foundPieces(found, options)
    .map(({ text, isMatch }) => (isMatch ? `[${text}]` : text))
    .join("");

it("for people: neighbours on a line each, and the reasons on request", () => {
  const lines = [
    "  | Ada: Where is the key?",
    "2026-11-21 10:13  Ben  from outside  2",
    "  Under the pot.",
    "    words       rank 2, score 0.5, 25 % of it from neighbouring messages",
    "    meaning     not among the nearest, cosine 0.612",
    "    literal     contains the exact query",
    "    total       1.5",
    "  | user: Thanks!",
    "Page 1 of 1, 1 in all.",
  ];
  expect(shown(page, { isExplained: true }).split("\n")).toEqual(lines);
  expect(shown(page).split("\n")).toEqual(lines.filter((line) => !line.startsWith("    ")));
});

it("for people: matches are marked in hits, not in their neighbours", () => {
  const text = shown(page, { query: "pot thanks" });
  expect(text).toContain("  Under the [pot].\n  | user: Thanks!\n");
});

it("for people: a neighbour is one line, cut, and free of control sequences", () => {
  const [hit] = page.hits;
  const before = [said("1", `\u001b[2J${"a\n".repeat(200)}`, "A\u001b[2Jda")];
  const text = shown({ ...page, hits: [{ ...hit!, neighbours: { before, after: [] } }] });
  expect(text.split("\n")[0]).toMatch(/^ {2}\| Ada: (?:a ){70,80}a?…$/u);
});

it("for scripts: all of it, field by field", () => {
  expect(foundShape(page)).toMatchObject({
    hits: [
      {
        id: "2",
        speaker: "Ben",
        neighbours: {
          before: [{ id: "1", role: "user", speaker: "Ada", text: "Where is\nthe key?", trust: "external", at }],
          after: [{ id: "3", role: "user", text: "Thanks!" }],
        },
        explanation: { score: 1.5, words: { rank: 2 }, meaning: { rank: null }, literal: true },
      },
    ],
  });
});

it("for models: neighbours are lines below their result, marked as such, without reasons", () => {
  const lines = formatSearchPage(page, { timeZone: "UTC" }).split("\n");
  expect(lines).toEqual([
    "Result 1 of 1, best first, last page.",
    expect.stringMatching(/^ {4}before: \w{3} [\d-]+ [\d:]+, Ada, external: Where is the key\?$/u),
    expect.stringMatching(/^\[1\] \w{3} [\d-]+ [\d:]+, Ben, external: Under the pot\.$/u),
    expect.stringMatching(/^ {4}after: \w{3} [\d-]+ [\d:]+, user, external: Thanks!$/u),
    expect.stringContaining("(Recalled text: "),
  ]);
});
