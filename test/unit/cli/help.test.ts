// Help fits on a screen, and everything that can be called has some.
import { readFileSync } from "node:fs";
import path from "node:path";
import { packageRoot } from "../../../src/base/package-root.ts";
import { allCommands } from "../../../src/surfaces/cli/commands.ts";
import { flags } from "../../../src/surfaces/cli/parse/flags.ts";
import { runInWorld } from "../../support/fake-world.ts";

const commands = await allCommands();

describe("help", () => {
  it("fits on one screen, 60 lines of at most 120 columns", async () => {
    const { exitCode, stdout, stderr, opened } = await runInWorld(["--help"]);
    const lines = stdout.trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(60);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(120);
    expect({ exitCode, stderr, opened }).toEqual({ exitCode: 0, stderr: "", opened: undefined });
  });

  it("names every topic and the flags of a conversation", async () => {
    const { stdout } = await runInWorld(["help"]);
    for (const { words } of commands) expect(stdout).toContain(words.at(-1));
    for (const flag of ["--agent", "--prompt", "--persona", "--data-dir", "--quiet"]) expect(stdout).toContain(flag);
    expect((await runInWorld(["-h"])).stdout).toBe(stdout);
  });

  it.each(commands.map(({ words }) => [words.join(" ")]))("describes %s in two ways", async (name) => {
    const asked = await runInWorld(["help", ...name.split(" ")]);
    expect(asked.exitCode).toBe(0);
    expect(asked.stdout).toContain(`palimpsest ${name}`);
    expect((await runInWorld([...name.split(" "), "--help"])).stdout).toBe(asked.stdout);
  });

  it("refers to help of the chat for the settings of the server and its page", async () => {
    const { stdout } = await runInWorld(["inspect", "--help"]);
    expect(stdout).toContain("--port N");
    expect(stdout).not.toContain("--temperature");
    expect(stdout).toContain("Also the flags of models, new agents, limits and tools: palimpsest help chat");
    expect((await runInWorld(["help", "chat"])).stdout).toContain("--temperature");
  });

  it("lists the verbs of a topic", async () => {
    const { stdout } = await runInWorld(["help", "memory"]);
    for (const verb of ["show", "set", "history", "undo"]) expect(stdout).toContain(`palimpsest memory ${verb}`);
  });

  it("every flag belongs to some command", () => {
    const taken = new Set(commands.flatMap((command) => command.flags));
    const common = new Set(["quiet", "no-color", "help", "version"]);
    for (const name of Object.keys(flags)) expect(common.has(name) || taken.has(name as keyof typeof flags)).toBe(true);
  });

  it("names the command that was started, in help, results and errors", async () => {
    const command = "npm start --";
    const run = async (...argv: string[]) => runInWorld(argv, { command });
    expect((await run("--help")).stdout).toContain("npm start -- COMMAND [VERB] [flags]  inspect");
    expect((await run("help", "recall", "search")).stdout).toContain("as in `npm start -- recall search");
    expect((await run("help", "memory")).stdout).toContain("npm start -- help memory VERB shows the flags.");
    expect((await run("memory", "set")).stderr).toContain("Usage: `npm start -- memory set LABEL TEXT`.");
    expect((await run("--nothing")).stderr).toContain("`npm start -- --help` lists all flags.");
    for (const argv of [["--help"], ["help", "recall", "search"], ["help", "memory"], ["memory", "set"]]) {
      const { stdout, stderr } = await run(...argv);
      expect(`${stdout}${stderr}`).not.toMatch(/palimpsest (?:-|[a-z]+ )/u);
    }
  });

  it("shows the version", async () => {
    expect(await runInWorld(["--version"])).toMatchObject({
      exitCode: 0,
      stdout: "palimpsest 0.0.0-test\n",
      stderr: "",
    });
    expect((await runInWorld(["-v"])).stdout).toBe("palimpsest 0.0.0-test\n");
  });
});

it.each(commands.map(({ words, summary }) => [words.join(" "), summary]))(
  "summarizes %s in at most 60 characters",
  (_name, summary) => {
    expect(summary.length).toBeLessThanOrEqual(60);
  },
);

test("docs/cli.md describes every command", () => {
  const manual = readFileSync(path.join(packageRoot(), "docs", "cli.md"), "utf8");
  const names = commands.map(({ words }) => words.join(" ")).filter((name) => name !== "chat");
  expect(names.filter((name) => !manual.includes(`\`${name}`))).toEqual([]);
});
