// Where the texts for core memory come from: starters by name, files by path.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { ConfigError } from "../../../src/base/errors.ts";
import { createFakeRuntime } from "../../support/fake-runtime.ts";
import { runInWorld } from "../../support/fake-world.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "palimpsest-texts-"));
  await writeFile(path.join(folder, "me.md"), "\uFEFFI am Ada.\r\nI sail.\r\n\n");
  await writeFile(path.join(folder, "binary.md"), Buffer.from([0x49, 0xff, 0xfe, 0x00]));
});

afterAll(() => rm(folder, { recursive: true }));

const createdWith = async (...argv: string[]): Promise<unknown> => {
  const runtime = createFakeRuntime();
  const run = await runInWorld(["agents", "add", "scout", ...argv], { runtime });
  expect(run.exitCode).toBe(0);
  return runtime.calls[0]?.[1];
};

describe("--persona, --human and --system-file", () => {
  it("accept starters by name and files by path", async () => {
    const file = path.join(folder, "me.md");
    expect(await createdWith("--persona", "archivist", "--human", file, "--system-file", file)).toEqual({
      name: "scout",
      persona: "I file things.",
      human: "I am Ada.\nI sail.",
      systemPrompt: "I am Ada.\nI sail.",
    });
  });

  it("are not filled in for another class of memory", async () => {
    expect(await createdWith("--memory", "task")).toEqual({ name: "scout", memoryType: "task" });
    for (const memoryType of ["chat", "scratchpad"])
      expect(await createdWith("--memory", memoryType)).toMatchObject({ memoryType, persona: "I am the default." });
  });

  it.each([
    [
      "an unknown starter",
      ["--persona", "archivits"],
      /--persona: no starter text is named "archivits"\. Did you mean "archivist"\?/u,
    ],
    ["a strange starter", ["--human", "pirate"], /Available: unknown\. For a file, give a path such as \.\/pirate/u],
    ["a missing file", ["--persona", "./nope.md"], /--persona: cannot read \.\/nope\.md: there is no such file/u],
    ["a folder", ["--human", "./"], /--human: cannot read \.\/: it is a folder/u],
    ["a missing system prompt", ["--system-file", "nope"], /--system-file: cannot read nope: there is no such file/u],
  ])("refuse %s", async (_, argv, message) => {
    const run = await runInWorld(["-p", "Hi", ...argv]);
    expect(run).toMatchObject({ exitCode: 2, stdout: "" });
    expect(run.stderr).toMatch(message);
  });

  it("refuse what is not text", async () => {
    const run = await runInWorld(["-p", "Hi", "--persona", path.join(folder, "binary.md")]);
    expect(run.stderr).toContain("it is not UTF-8 text");
    expect(run.exitCode).toBe(2);
  });

  it("that are too long are refused by the runtime, with exit code 2", async () => {
    const { agents } = createFakeRuntime();
    const open = async (): Promise<never> => {
      throw new ConfigError("The persona text has 2001 characters, its limit is 2000.");
    };
    const runtime = createFakeRuntime({ override: { agents: { ...agents, open } } });
    const run = await runInWorld(["-p", "Hi"], { runtime });
    expect(run).toMatchObject({
      exitCode: 2,
      stderr: "palimpsest: The persona text has 2001 characters, its limit is 2000.\n",
    });
  });
});
