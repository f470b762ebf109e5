// The archive on the command line: marks, places and long texts, and what is asked on a terminal. Its other commands are in a session
// of test/parity.
import { createFakeRuntime } from "../../support/fake-runtime.ts";
import { type CliOptions, type CliRun, runInWorld } from "../../support/fake-world.ts";

const runtime = createFakeRuntime({ agents: ["main"] });
const run = (argv: readonly string[], options: CliOptions = {}): Promise<CliRun> =>
  runInWorld(argv, { runtime, ...options });

describe("archival search", () => {
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
