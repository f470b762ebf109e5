// `/attach` and `/detach`: what they show, and what they change in the database, for one agent and no other.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Agent } from "../../src/agent/agent.ts";
import { adviceFor } from "../../src/surfaces/terminal/advice.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { useRuntimes } from "../support/runtime.ts";
import { typeLine } from "../support/typed-line.ts";

const runtimes = useRuntimes();
let runtime: Runtime;
let agent: Agent;
let file: string;
let user = 0;

beforeAll(async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "palimpsest-attach-"));
  file = path.join(folder, "tea.md");
  writeFileSync(file, "# Tea\n\nOolong is half oxidized.\n");
});

afterAll(async () => rmSync(path.dirname(file), { recursive: true, force: true }));

beforeEach(async () => {
  runtime = await runtimes.open({ userId: `user-${(user += 1)}` });
  agent = await runtime.agents.open("sam", { create: {} });
});

const run = async (line: string, { of = runtime, as = agent, width = 99 } = {}): Promise<string> =>
  (await typeLine(line, { runtime: of, agent: as, width })).text;

const load = (name: string, description?: string) =>
  runtime.sources.load(name, [file], description === undefined ? {} : { description });
const found = async (name: string) => (await runtime.archival.search(name, "oolong")).total;
const searchers = async (name: string) => (await runtime.sources.show(name)).agents;

test("/attach attaches a source only to the chat's agent; /detach ends it", async () => {
  await load("teas");
  await runtime.agents.create({ name: "kim" });
  expect(await run("/attach teas")).toContain('sam now searches "teas": 1 file, 1 passage.');
  expect([await searchers("teas"), await found("sam"), await found("kim")]).toEqual([["sam"], 1, 0]);
  expect(await run("/attach teas")).toContain('sam already searches "teas".');
  expect(await run("/detach teas")).toContain('sam no longer searches "teas". Nothing was deleted.');
  expect([await searchers("teas"), await found("sam")]).toEqual([[], 0]);
  expect(await run("/detach teas")).toContain('sam did not search "teas".');
  expect((await runtime.sources.show("teas")).passages).toBe(1);
});

test.each(["/attach", "/detach"])(
  "%s alone lists the sources, those of the agent first, and changes nothing",
  async (line) => {
    await load("a book", "how we\nwork");
    await load("teas");
    await runtime.sources.attach("sam", "teas");
    expect(await run(line)).toBe(
      [
        "",
        "  attached  teas  1 file, 1 passage",
        "            a book  1 file, 1 passage  how we",
        "· /attach a book lets the agent search it. /detach teas detaches it.",
      ].join("\n"),
    );
    expect([await searchers("teas"), await searchers("a book")]).toEqual([["sam"], []]);
  },
);

test("without sources it says how to create one", async () => {
  expect(await run("/attach")).toContain("There are no sources yet.\n  `palimpsest load FOLDER --source NAME`");
});

test("an unknown name gets the nearest one as a suggestion, and attaches nothing", async () => {
  await load("handbook");
  await expect(run("/attach hadnbook")).rejects.toThrow('There is no source "hadnbook". Did you mean "handbook"?');
  await expect(run("/detach hadnbook")).rejects.toMatchObject({ code: "source_not_found" });
  expect(adviceFor("source_not_found")).toBe("/attach lists the sources.");
  expect(await searchers("handbook")).toEqual([]);
});

test.each(["two words", "字🙂 %_'", "</human>", "-", "a".repeat(200), '"quoted" inside'])(
  "the name %j is used unchanged",
  async (name) => {
    await load(name);
    await run(`/attach ${name}`);
    expect(await searchers(name)).toEqual(["sam"]);
    await run("/attach", { width: 30 });
    await run(`/detach "${name}"`);
    expect(await searchers(name)).toEqual([]);
  },
);

test.each(["a".repeat(1e6), "\u0000", "\ud800", "%", "teas\n/exit"])(
  "no source is found by unusual text (%#)",
  async (name) => {
    await load("teas");
    await expect(run(`/attach ${name}`)).rejects.toMatchObject({ code: "source_not_found" });
  },
);

test("a source is attached to the chat's agent, even if another user's has the same name", async () => {
  await load("teas");
  await runtime.sources.attach("sam", "teas");
  const owner = await runtimes.open({ userId: `owner-${user}` });
  const shared = await owner.agents.create({ name: "sam" });
  await owner.agents.share("sam", runtime.userId);
  await runtime.agents.accept(shared.id);
  const other = await runtime.agents.open(shared.id);
  expect(await run("/attach", { as: other })).not.toContain("attached");
  await run("/attach teas", { as: other });
  expect(await run("/attach", { as: other })).toContain("attached  teas");
  expect(await searchers("teas")).toEqual([`owner-${user}/sam`, "sam"]);
});
