// Where the texts for core memory come from: starters by name, files by path. What is refused is in a session of test/parity.
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { fakeRecord } from "../../support/fake-agent.ts";
import { runInWorld } from "../../support/fake-world.ts";
import { stubRuntime } from "../../support/stub-runtime.ts";
import { useFolder } from "../../support/folders.ts";

const folder = useFolder();

beforeAll(async () => {
  await writeFile(path.join(folder, "me.md"), "\uFEFFI am Ada.\r\nI sail.\r\n\n");
  await writeFile(path.join(folder, "binary.md"), Buffer.from([0x49, 0xff, 0xfe, 0x00]));
});

const createdWith = async (...argv: string[]): Promise<unknown> => {
  const runtime = stubRuntime({ agents: { create: async () => fakeRecord } });
  expect(await runInWorld(["agents", "add", "scout", ...argv], { runtime })).toMatchObject({ exitCode: 0 });
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

  it("refuse what is not text", async () => {
    const run = await runInWorld(["-p", "Hi", "--persona", path.join(folder, "binary.md")]);
    expect(run).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("it is not UTF-8 text") });
  });
});
