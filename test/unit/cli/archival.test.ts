// The archive on the command line: what is asked for, what is shown and marked, and both words of a verb.
import { createFakeRuntime } from "../../support/fake-runtime.ts";
import { type CliOptions, type CliRun, runInWorld } from "../../support/fake-world.ts";

const runtime = createFakeRuntime({ agents: ["main"] });
const run = (argv: readonly string[], options: CliOptions = {}): Promise<CliRun> =>
  runInWorld(argv, { runtime, ...options });

async function callsOf(argv: readonly string[], options: CliOptions = {}): Promise<readonly unknown[]> {
  const asked = createFakeRuntime({ agents: ["main"] });
  const { exitCode, stderr } = await run(argv, { ...options, runtime: asked });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  return asked.calls.filter(([name]) => name !== "close");
}

describe("archival search", () => {
  const page = { page: 0, pageSize: 5 };

  it.each([
    [["--tag", "boat", "--tag", "a,b"], { tags: ["boat", "a,b"] }],
    [["--tag", "boat", "--tag", "sea", "--all-tags"], { allTags: ["boat", "sea"] }],
    [["--kind", "fact", "--kind", "document"], { kinds: ["fact", "document"] }],
    [["--source", "handbook"], { sources: ["handbook"] }],
    [["--since", "2026-11-20", "--until", "2026-11-20"], { startDate: "2026-11-20", endDate: "2026-11-20" }],
    [["--min-importance", "0.7"], { minImportance: 0.7 }],
    [["--min-importance", "0"], { minImportance: 0 }],
    [["--page", "2", "--page-size", "10"], { page: 1, pageSize: 10 }],
  ])("%j", async (flags, asked) => {
    expect(await callsOf(["archival", "search", "sea", ...flags])).toEqual([
      ["archival.search", "main", "sea", { ...page, ...asked }],
    ]);
  });

  it.each([
    [["--all-tags"], /--all-tags needs tags/u],
    [["--kind", "note"], /--kind: expected memory, fact, document, got "note"/u],
    [["--since", "today"], /such as 2026-11-21, got "today"/u],
    [["--since", "2026-11-22", "--until", "2026-11-21"], /: swap them/u],
    [["--min-importance", "2"], /--min-importance: expected a number from 0 to 1, such as 0\.7, got "2"/u],
    [["--min-importance", "1e-1"], /got "1e-1"/u],
    [["--tags", "a"], /Unknown flag --tags\. Did you mean --tag\?/u],
  ])("refuses %j before anything is opened", async (flags, message) => {
    const refused = await run(["archival", "search", "sea", ...flags]);
    expect(refused).toMatchObject({ exitCode: 2, stdout: "", opened: undefined });
    expect(refused.stderr).toMatch(message);
  });

  it("shows hits, and their explanations with --explain", async () => {
    const head = "2026-11-21 10:13  [sea]  from outside  passage-1\n  Ada sails\n";
    const foot = "Page 1 of 1, 1 in all.\n";
    expect((await run(["archival", "search", "sailing"])).stdout).toBe(head + foot);
    expect((await run(["archival", "search", "sailing", "--explain"])).stdout).toBe(
      `${head}${[
        "    words       rank 1, score 0.0608",
        "    meaning     rank 2, cosine 0.712",
        "    literal     no",
        "    importance  0.5",
        "    total       1.5",
      ].join("\n")}\n${foot}`,
    );
  });

  it("marks matches only if colours are enabled", async () => {
    expect((await run(["archival", "search", "sailing"], { hasColor: true })).stdout).toContain(
      "  Ada \u001b[1;31msails\u001b[22;39m\n",
    );
    expect((await run(["archival", "search", "sailing"])).stdout).not.toContain("\u001b");
    const { stdout } = await run(["archival", "search", "sailing", "--json"], { hasColor: true });
    expect(stdout).not.toContain("u001b");
    expect((await run(["recall", "search", "sail"], { hasColor: true })).stdout).toContain("\u001b[1;31msailing");
  });

  it("shows the location of a source's passage, without control sequences", async () => {
    const source = { name: "handbook", file: "guide\u001b[2J.md", page: 3, lineFrom: 4, lineTo: 9 };
    const found = await runtime.archival.search("main", "sea");
    const hit = {
      ...found.hits[0]!,
      text: "red \u001b[31m\nboat\n\n\u001b]0;x\u0007sea",
      source,
    };
    const archival = { ...runtime.archival, search: async () => ({ ...found, hits: [hit] }) };
    const { stdout } = await run(["archival", "search", '"31"'], {
      runtime: { ...runtime, archival },
      hasColor: true,
    });
    expect(stdout).toBe(
      "2026-11-21 10:13  [sea]  handbook, guide.md, page 3, lines 4-9  passage-1\n" +
        "  red \n  boat\n\n  sea\nPage 1 of 1, 1 in all.\n",
    );
    const asked = await run(["archival", "search", "sea", "--json"], { runtime: { ...runtime, archival } });
    expect(JSON.parse(asked.stdout)).toMatchObject({ hits: [{ source }] });
  });

  it("shows a long text around its first match, and completely as JSON", async () => {
    const found = await runtime.archival.search("main", "sea");
    const text = `${"long ago ".repeat(100_000)}Ada sails ${"far away ".repeat(100)}`;
    const archival = { ...runtime.archival, search: async () => ({ ...found, hits: [{ ...found.hits[0]!, text }] }) };
    const options = { runtime: { ...runtime, archival } };
    const { stdout } = await run(["archival", "search", "ada sailing"], options);
    expect(stdout.length).toBeLessThan(1200);
    expect(stdout).toMatch(/^ {2}…ago long .* Ada sails far away .*…$/mu);
    expect((await run(["archival", "search", "ada sailing", "--json"], options)).stdout).toContain(text);
  });
});

describe("archival add and remove", () => {
  it("have both names", async () => {
    const added = [["archival.add", "main", "Ada rows", { tags: ["sea"], importance: 0.9 }]];
    for (const verb of ["add", "insert"]) {
      expect(await callsOf(["archival", verb, "Ada rows", "--tag", "sea", "--importance", ".9"])).toEqual(added);
    }
    for (const verb of ["remove", "delete"]) {
      expect(await run(["archival", verb, "passage-1", "--yes"])).toMatchObject({ exitCode: 0, stdout: "Deleted.\n" });
    }
    expect((await run(["archival", "inser", "x"])).stderr).toContain('Did you mean "archival insert"?');
    expect((await run(["archival", "delete"])).stderr).toContain("Usage: `palimpsest archival remove ID --yes`");
  });

  it("list both names in help", async () => {
    const { stdout } = await run(["help", "archival"]);
    expect(stdout).toMatch(/palimpsest archival add TEXT +add a passage .* \(also: archival insert\)$/mu);
    expect((await run(["help", "archival", "delete"])).stdout).toContain(
      "palimpsest archival remove ID --yes [flags]\n\n  delete a passage; asks on a terminal without --yes (also: archival delete)",
    );
  });

  it.each([
    ["y\n", 0, "Deleted.\n", ""],
    ["n\n", 1, "", "palimpsest: Nothing was deleted.\n"],
    ["", 1, "", "palimpsest: Nothing was deleted.\n"],
  ])("on a terminal, remove asks: %j", async (input, exitCode, stdout, told) => {
    const removed = await run(["archival", "remove", "passage-1"], { isTerminal: true, input });
    expect(removed).toMatchObject({ exitCode, stdout });
    expect(removed.stderr).toBe(`This would permanently delete the passage passage-1 of "main". Do it? [y/N] ${told}`);
  });

  it("refuse an invalid importance", async () => {
    expect(await run(["archival", "add", "x", "--importance", "much"])).toMatchObject({
      exitCode: 2,
      opened: undefined,
    });
  });
});
