// What is typed wrongly ends with exit code 2, one line that helps, and nothing on stdout.
import type { ModuleView } from "../../../src/runtime/memory/contract.ts";
import { runInWorld } from "../../support/fake-world.ts";
import { stubRuntime } from "../../support/stub-runtime.ts";

describe("an invalid command line", () => {
  it.each([
    [["agnets", "list"], /There is no command "agnets"\. Did you mean "agents"\?/u],
    [["what is my name?"], /To send it to your agent: `palimpsest -p "what is my name\?"/u],
    [["agents"], /"agents" needs a verb\. Write one of: agents list, agents show/u],
    [["agents", "lits"], /Did you mean "agents list"\?/u],
    [["memory", "frobnicate"], /"memory" has no verb "frobnicate"/u],
    [["memory", "set", "human"], /an argument is missing\. Usage: `palimpsest memory set LABEL TEXT`/u],
    [["memory", "set", "human", "Ada", "likes", "tea"], /unexpected argument "likes".*Quote/u],
    [["backup"], /palimpsest backup FILE/u],
    [["agents", "list", "-m", "demo"], /agents list does not take --model.*`palimpsest help agents list`/u],
    [["models", "-a", "scout"], /models does not take --agent/u],
    [["chat", "--json"], /chat does not take --json/u],
    [["--jsn"], /Unknown flag --jsn\. Did you mean --json\?/u],
    [["-p", ""], /-p is empty.*palimpsest -p "your message"/u],
    [["-p", " \n "], /Expected a message/u],
    [["-p", "-"], /Standard input is empty/u],
    [["--output-format", "json"], /Standard input is empty/u],
    [["-p", "hi", "--output-format", "xml"], /expected text, json, stream-json, got "xml"/u],
    [["-p", "hi", "--include-partial-messages"], /needs --output-format stream-json/u],
    [["-p", "hi", "--new", "-r", "1"], /one of --continue, --new and --resume/u],
    [["-r"], /--resume without an ID needs a terminal.*conversations list/u],
    [["-r", "-p", "hi"], /--resume without an ID.*needs a terminal/u],
    [["-p", "hi", "--resume"], /--resume without an ID.*needs a terminal/u],
    [["--new", "-r"], /--resume without an ID/u],
    [["context", "-r", "--json"], /--resume needs a value: --resume ID/u],
    [["recall", "dates", "yesterday"], /such as 2026-11-21, got "yesterday"/u],
    [["recall", "dates", "2026-02-30"], /got "2026-02-30"/u],
    [["recall", "dates", "2026-11-22", "2026-11-21"], /: swap them/u],
    [["recall", "search", "x", "--page", "0"], /--page: expected a whole number from 1/u],
    [["recall", "search", "x", "--page-size", "5000"], /from 1 to 100, got "5000"/u],
    [["memory", "history", "--limit", "many"], /--limit: expected/u],
    [["archival", "add", "  ", "-a", "scout"], /got an empty one/u],
    [["recall", "search", ""], /Expected a query, got an empty text/u],
    [["archival", "search", " \n"], /Expected a query, got an empty text/u],
    [["configure", "extra"], /unexpected argument/u],
    [["configure", "--model", "demo", "--key-stdin"], /demo needs no key/u],
    [["configure", "--api-key", "sk-1"], /Unknown flag --api-key/u],
    [["help", "agnets"], /Did you mean "agents"\?/u],
  ])("%j", async (argv, message) => {
    const run = await runInWorld(argv);
    expect(run.stderr).toMatch(message);
    expect(run.stderr).toMatch(/^palimpsest: [^\n]+\n$/u);
    expect(run.exitCode).toBe(2);
    if (!argv.includes("json")) expect(run.stdout).toBe("");
  });

  it.each([
    ["history", { revisions: async () => [] }],
    ["undo", { undo: async () => null }],
  ])("reports an unknown section for memory %s, not an empty history", async (verb, empty) => {
    const runtime = stubRuntime({ memory: { show: async () => [{ label: "human" } as ModuleView], ...empty } });
    const { stderr, stdout } = await runInWorld(["memory", verb, "nothing", "-a", "scout"], { runtime });
    expect({ stderr, stdout }).toEqual({ stderr: expect.stringMatching(/has no module "nothing"/u), stdout: "" });
    const known = await runInWorld(["memory", verb, "human", "-a", "scout"], { runtime });
    expect(known).toMatchObject({ exitCode: 0, stderr: "" });
  });

  it("refuses --output-format in the chat", async () => {
    const run = await runInWorld(["--output-format", "text"], { isTerminal: true });
    expect(run).toMatchObject({ exitCode: 2, stdout: "", opened: undefined });
    expect(run.stderr).toContain("-p TEXT");
  });
});
