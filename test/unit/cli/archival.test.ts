// The archive on the command line: marks, places and long texts, and what is asked on a terminal. Its other commands are in a session
// of test/parity.
import type { SearchHit, SearchPage } from "../../../src/tool/tool.ts";
import { type CliOptions, type CliRun, runInWorld } from "../../support/fake-world.ts";
import { stubRuntime } from "../../support/stub-runtime.ts";

const explanation = { score: 1.5, words: { rank: 1, score: 0.0608 }, meaning: null, literal: false };
const sails: SearchHit = {
  id: "passage-1",
  text: "Ada sails",
  tags: ["sea"],
  trust: "external",
  at: new Date("2026-11-21T10:13:01.000Z"),
  explanation: { ...explanation, identifier: false, importance: 0.5 },
};

/** Runs on an archive and a recall in which everything finds this hit. */
function run(argv: readonly string[], options: CliOptions = {}, hit: Partial<SearchHit> = {}): Promise<CliRun> {
  const found = {
    hits: [{ ...sails, ...hit }],
    page: 0,
    pageSize: 5,
    wordsAlone: false,
    total: 1,
  } satisfies SearchPage;
  const search = async () => found as never;
  const archival = { search, delete: async () => true };
  return runInWorld(argv, { runtime: stubRuntime({ archival, recall: { search } }), ...options });
}

describe("archival search", () => {
  it("marks matches only if colours are enabled", async () => {
    const marked = "  Ada \u001b[1;31msails\u001b[22;39m\n";
    for (const memory of ["archival", "recall"])
      expect((await run([memory, "search", "sailing"], { hasColor: true })).stdout).toContain(marked);
    expect((await run(["archival", "search", "sailing"])).stdout).not.toContain("\u001b");
    const { stdout } = await run(["archival", "search", "sailing", "--json"], { hasColor: true });
    expect(stdout).not.toContain("u001b");
  });

  it("shows the location of a source's passage, without control sequences", async () => {
    const source = { name: "handbook", file: "guide\u001b[2J.md", page: 3, lineFrom: 4, lineTo: 9 };
    const hit = { text: "red \u001b[31m\nboat\n\n\u001b]0;x\u0007sea", source };
    const { stdout } = await run(["archival", "search", '"31"'], { hasColor: true }, hit);
    expect(stdout).toBe(
      "2026-11-21 10:13  [sea]  handbook, guide.md, page 3, lines 4-9  passage-1\n" +
        "  red \n  boat\n\n  sea\nPage 1 of 1, 1 in all.\n",
    );
    const asked = await run(["archival", "search", "sea", "--json"], {}, hit);
    expect(JSON.parse(asked.stdout)).toMatchObject({ hits: [{ source }] });
  });

  it("shows a long text around its first match, and completely as JSON", async () => {
    const text = `${"long ago ".repeat(100_000)}Ada sails ${"far away ".repeat(100)}`;
    const { stdout } = await run(["archival", "search", "ada sailing"], {}, { text });
    expect(stdout.length).toBeLessThan(1200);
    expect(stdout).toMatch(/^ {2}…ago long .* Ada sails far away .*…$/mu);
    expect((await run(["archival", "search", "ada sailing", "--json"], {}, { text })).stdout).toContain(text);
  });
});

it.each([
  ["y\n", 0, "Deleted.\n", ""],
  ["n\n", 1, "", "palimpsest: Nothing was deleted.\n"],
  ["", 1, "", "palimpsest: Nothing was deleted.\n"],
])("on a terminal, archival remove asks: %j", async (input, exitCode, stdout, told) => {
  const removed = await run(["archival", "remove", "passage-1"], { isTerminal: true, input });
  expect(removed).toMatchObject({ exitCode, stdout });
  expect(removed.stderr).toBe(`This would permanently delete the passage passage-1 of "main". Do it? [y/N] ${told}`);
});
