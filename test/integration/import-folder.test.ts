// Folders of Markdown files from other programs as files of memory.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import { useRuntimes } from "../support/runtime.ts";
import { useFolder } from "../support/folders.ts";

const runtimes = useRuntimes();
const folder = useFolder();
let names = 0;

async function importing(files: Readonly<Record<string, string | Uint8Array>>) {
  names += 1;
  const source = path.join(folder, String(names));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(source, name)), { recursive: true });
    writeFileSync(path.join(source, name), content);
  }
  const runtime = await runtimes.open({ model: "scripted", models: [createScriptedModel({ replies: [] })] });
  const { name } = await runtime.agents.create({ name: `folder-${names}` });
  const run = (place = source, dryRun = false) => runtime.imports.run(name, place, { form: "folder", dryRun });
  const listed = async () =>
    Object.fromEntries(
      (await runtime.memoryFiles.list(name))
        .filter(({ kind }) => kind === "file")
        .map(({ path: file, text, trust }) => [file, [text, trust]]),
    );
  return { source, runtime, name, run, listed };
}

const topic = "---\nname: boat\ndescription: the user's boat\n---\n\nIt is blue.\r\n";

test("the memory of claude-code and Letta's memfs become files with their exact texts, from outside", async () => {
  const { run, listed, runtime, name } = await importing({
    "MEMORY.md": "- [boat](boat.md)\n",
    "boat.md": topic,
    "system/human.md": "Name: Ada",
    ".git/HEAD.md": "hidden",
    "node_modules/x.md": "package",
    "notes.txt": "no Markdown",
    "empty.md": "",
    "binary.md": Buffer.from([0xff, 0xfe]),
    "huge.md": Buffer.alloc(4_200_000, "x"),
    "long.md": "x".repeat(1_000_001),
    [`${"d".repeat(150)}/${"f".repeat(60)}.md`]: "long path",
  });
  expect((await run(undefined, true)).added.passages).toBe(3);
  const report = await run();
  expect(report.added).toMatchObject({ passages: 3 });
  expect(Object.fromEntries(report.leftOut.map(({ text, count }) => [text, count]))).toEqual({
    "files without a text": 1,
    "other files of the export": 2,
    "memories of more than 1,000,000 characters": 1,
    "files with a path that memory does not allow": 1,
  });
  const files = {
    "MEMORY.md": ["- [boat](boat.md)\n", "external"],
    "boat.md": [topic, "external"],
    "system/human.md": ["Name: Ada", "external"],
  };
  expect(await listed()).toEqual(files);
  expect((await run()).added.passages).toBe(0);
  expect((await runtime.archival.search(name, "blue")).hits[0]!.text).toBe(`File boat.md\n${topic}`);
  expect((await runtime.memory.revisions(name)).length).toBe(0);
});

test("of a project only AGENTS.md and CLAUDE.md are read; a single file is enough", async () => {
  const { run, listed, source } = await importing({
    "AGENTS.md": "Rules.",
    "pkg/CLAUDE.md": "More.",
    "README.md": "Not memory.",
    "docs/a.md": "Not memory.",
  });
  await run();
  expect(Object.keys(await listed())).toEqual(["AGENTS.md", "pkg/CLAUDE.md"]);
  await run(path.join(source, "README.md"));
  expect(Object.keys(await listed())).toContain("README.md");
});

test("links are not followed; a folder that is missing or has nothing is refused", async () => {
  const { run, source, runtime, name } = await importing({ "notes.txt": "x" });
  const secret = path.join(folder, "secret.md");
  writeFileSync(secret, "secret");
  await expect(run()).rejects.toThrow(/no file that ends in \.md/u);
  await expect(run(path.join(source, "none"))).rejects.toThrow(/Cannot read/u);
  symlinkSync(secret, path.join(source, "link.md"));
  await expect(run()).resolves.toMatchObject({ added: { passages: 0 } });
  const stream = (async function* () {
    yield Buffer.from("x");
  })();
  await expect(runtime.imports.run(name, stream, { form: "folder" })).rejects.toThrow(/path of a folder/u);
});
